import { createHash } from 'node:crypto'
import { gateConfigOf, type Run } from '../../domain/run/run.ts'
import type { Attempt, StoryData } from '../../domain/story/story.ts'

interface Verified {
  readonly tree: string
  readonly base: string
  readonly run: Run
}

/** Names what a verdict is about: a tree, what it is compared with, and the configuration. */
export function verdictKey({ tree, base, run }: Verified): string {
  return createHash('sha256')
    .update(JSON.stringify([tree, base, gateConfigOf(run)]))
    .digest('hex')
    .slice(0, 32)
}

/**
 * The verdict that a story's tree has already, since a human retried the story last; null when it
 * is to be verified. A verdict that says little of the tree (a timeout, flaky tests, the
 * infrastructure) allows one more try. The PASS of a slice says nothing of the whole change.
 */
export function knownVerdict(
  { attempts, earlierAttempts }: Pick<StoryData, 'attempts' | 'earlierAttempts'>,
  { key, isSlice }: { readonly key: string; readonly isSlice: boolean },
): Attempt | null {
  const own = attempts.slice(earlierAttempts).filter(({ of }) => of === key)
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
