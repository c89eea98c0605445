import { limits } from '../limits.ts'
import type { StoryData } from './story.ts'

/** Stands where an editor has stated none, though it was asked twice. */
export const noHypothesis = '(The editor stated none, though it was asked for one.)'

/**
 * Whether an editor must state a hypothesis: with each change from the second failed verification
 * on, and with a plan that failures have forced. Such a plan also speaks for its first change
 * (seed: coding-agent-workflow, invariant 6).
 */
export function isHypothesisDue(
  handedIn: 'plan' | 'change',
  { failures, planning }: Pick<StoryData, 'failures' | 'planning'>,
): boolean {
  if (handedIn === 'plan') return planning > 1
  return failures.consecutive >= (planning > 1 ? 1 : limits.failuresBeforeHypothesis)
}
