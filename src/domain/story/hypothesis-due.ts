import { limits } from '../limits.ts'
import type { StoryData } from './story.ts'

/** Placeholder for an editor that stated none after two requests. */
export const noHypothesis = '(The editor stated none, though it was asked for one.)'

/**
 * True if an editor must state a hypothesis: with each change from the second failed verification
 * on, and with a plan that failures have forced. The hypothesis of such a plan also covers its
 * first change (seed: coding-agent-workflow, invariant 6).
 */
export function isHypothesisDue(
  handedIn: 'plan' | 'change',
  { failures, planning }: Pick<StoryData, 'failures' | 'planning'>,
): boolean {
  if (handedIn === 'plan') return planning > 1
  return failures.consecutive >= (planning > 1 ? 1 : limits.failuresBeforeHypothesis)
}
