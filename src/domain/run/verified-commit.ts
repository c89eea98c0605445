import type { Story } from '../story/story.ts'
import type { Run } from './run.ts'

/**
 * The newest verified commit of a Run's branch, including the commits of follow-ups. Null without a
 * change.
 */
export function verifiedCommit(run: Run, stories: readonly Story[]): string | null {
  const { base, tip } = run.data
  const sha = tip ?? (run.data.policy.result === 'merged' ? null : (stories[0]?.data.attempts.at(-1)?.sha ?? null))
  return sha === base ? null : sha
}
