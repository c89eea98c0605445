import { limits } from '../limits.ts'
import type { Run } from '../run/run.ts'
import { writesAcceptance } from '../run/writes-acceptance.ts'

/**
 * The price of the tests that an architect writes for stories, as a sentence for the person who
 * approves the plan; null where none are written. Each story has one author, and a reader for each
 * set that the author hands in.
 */
export function acceptanceCost(
  run: Run,
  stories: readonly { readonly acceptance_criteria?: readonly string[] }[],
): string | null {
  if (run.data.config === null || !writesAcceptance(run)) return null
  const count = stories.reduce((sum, { acceptance_criteria: own = [] }) => sum + Math.max(1, own.length), 0)
  const most = (limits.writtenTests.returns + 2) * run.data.config.request.hard
  const which = count === 1 ? 'the criterion' : `the ${count} criteria`
  return `An architect also writes tests of ${which} that no editor sees, and another one checks them: at most ${most} requests${stories.length === 1 ? '' : ' a story'}.`
}
