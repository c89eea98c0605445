import { createHash } from 'node:crypto'
import { gateConfigOf, type Run } from '../../domain/run/run.ts'
import { declaresRefactor } from '../../domain/story/plan.ts'
import type { Attempt, StoryData } from '../../domain/story/story.ts'

interface Verified {
  readonly tree: string
  readonly base: string
  readonly run: Run
  readonly data: Pick<StoryData, 'plans' | 'planned'>
}

/** Whether its reviewed plan says that behaviour stays: then the gate judges otherwise. */
export function refactors({ plans, planned }: Pick<StoryData, 'plans' | 'planned'>): boolean {
  const plan = plans.at(-1)
  return planned !== null && plan !== undefined && declaresRefactor(plan)
}

/** Names what a verdict is about: a tree, what it is compared with and judged by. */
export function verdictKey({ tree, base, run, data }: Verified): string {
  return createHash('sha256')
    .update(JSON.stringify([tree, base, gateConfigOf(run), refactors(data)]))
    .digest('hex')
    .slice(0, 32)
}

/**
 * The verdict that a story's tree has already, since a human retried the story or decided about its
 * tests last; null when it is to be verified. A verdict that says little of the tree (a timeout,
 * flaky tests, the infrastructure) allows one more try. The PASS of a slice says nothing of the
 * whole change.
 */
export function knownVerdict(
  { attempts, earlierAttempts }: Pick<StoryData, 'attempts' | 'earlierAttempts'>,
  { key, isSlice }: { readonly key: string; readonly isSlice: boolean },
): Attempt | null {
  // A FAIL of a slice is none of the whole, nor the other way round: other rules judge each.
  const isMeant = (each: Attempt) => each.of === key && (each.status === 'PASS' || (each.isSlice === true) === isSlice)
  const own = attempts.slice(earlierAttempts).filter(isMeant)
  const last = own.at(-1)
  if (last === undefined) return null
  if (last.isUnsure && own.filter(({ isUnsure }) => isUnsure).length < 2) return null
  return last.status === 'PASS' && last.isSlice && !isSlice ? null : last
}

/** For the editor that hands the same tree in again. */
export function nothingChanged({ runId, status, why }: Attempt): string {
  const said = status === 'PASS' ? 'has passed' : `was ${status}${why ? ` (${why})` : ''}`
  return `Nothing has changed since ${runId}, which ${said}. It is not verified again.`
}
