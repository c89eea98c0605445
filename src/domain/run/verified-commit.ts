import type { Story } from '../story/story.ts'
import type { Run } from './run.ts'

/**
 * The newest commit of a Run's branch that was verified: with what follow-ups have added to it.
 * Null where nothing was changed.
 */
export function verifiedCommit(run: Run, stories: readonly Story[]): string | null {
  const { base, tip } = run.data
  const sha = tip ?? (run.data.policy.result === 'merged' ? null : (stories[0]?.data.attempts.at(-1)?.sha ?? null))
  return sha === base ? null : sha
}
