import { createHash } from 'node:crypto'
import { gateConfigOf, type Run } from '../../domain/run/run.ts'
import { declaresRefactor } from '../../domain/story/plan.ts'
import type { Attempt, StoryData } from '../../domain/story/story.ts'

interface VerdictKeyInput {
  readonly tree: string
  readonly base: string
  readonly run: Run
  readonly data: Pick<StoryData, 'plans' | 'planned'>
}

/** True if the reviewed plan declares a refactoring: then the gate judges by other rules. */
export function refactors({ plans, planned }: Pick<StoryData, 'plans' | 'planned'>): boolean {
  const plan = plans.at(-1)
  return planned !== null && plan !== undefined && declaresRefactor(plan)
}

/**
 * Identifies the subject of a verdict: a tree, the base that it is compared with, and the rules.
 */
export function verdictKey({ tree, base, run, data }: VerdictKeyInput): string {
  return createHash('sha256')
    .update(JSON.stringify([tree, base, gateConfigOf(run), refactors(data)]))
    .digest('hex')
    .slice(0, 32)
}

/**
 * The present verdict on a story's tree, since a human last retried the story or decided about its
 * tests; null if it has to be verified. A verdict that says little about the tree (a timeout, flaky
 * tests, the infrastructure) allows one more try. The PASS of a slice does not apply to the whole
 * change.
 */
export function knownVerdict(
  { attempts, earlierAttempts }: Pick<StoryData, 'attempts' | 'earlierAttempts'>,
  { key, isSlice }: { readonly key: string; readonly isSlice: boolean },
): Attempt | null {
  // A FAIL of a slice does not apply to the whole, nor the other way round, since their rules
  // differ.
  const isMeant = (each: Attempt) => each.of === key && (each.status === 'PASS' || (each.isSlice === true) === isSlice)
  const own = attempts.slice(earlierAttempts).filter(isMeant)
  const last = own.at(-1)
  if (last === undefined) return null
  if (last.isUnsure && own.filter(({ isUnsure }) => isUnsure).length < 2) return null
  return last.status === 'PASS' && last.isSlice && !isSlice ? null : last
}

/** Tells the editor that it handed in the same tree again. */
export function nothingChanged({ runId, status, why }: Attempt): string {
  const said = status === 'PASS' ? 'has passed' : `was ${status}${why ? ` (${why})` : ''}`
  return `Nothing has changed since ${runId}, which ${said}. It is not verified again.`
}
