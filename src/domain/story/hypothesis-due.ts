import { limits } from '../limits.ts'
import type { StoryData } from './story.ts'

/**
 * Whether an editor must say what it believes: with a change from the second failed verification
 * on, and with the plan that failures have forced, which then speaks for its first change, too
 * (seed: coding-agent-workflow, invariant 6).
 */
export function isHypothesisDue(
  handedIn: 'plan' | 'change',
  { failures, planning }: Pick<StoryData, 'failures' | 'planning'>,
): boolean {
  return handedIn === 'plan'
    ? planning > 1
    : failures.consecutive > 0 && failures.loops >= limits.failuresBeforeHypothesis
}
