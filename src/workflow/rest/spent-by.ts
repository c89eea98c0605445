import type { Machine } from '../../domain/machine.ts'
import type { Amount, Spent } from '../../domain/run/budget.ts'
import type { Records } from '../../ports/store.ts'

/**
 * The spending that a further amount is added to. Only a call without a known price is bounded by
 * its story's tokens; tokens from a cache do not count again.
 */
export async function spentBy(
  records: Pick<Records, 'spent' | 'spending'>,
  { run, story }: Pick<Machine, 'run' | 'story'>,
  { microUsd }: Pick<Amount, 'microUsd'>,
) {
  const ofRun = await records.spent(run)
  if (story === null) return { run: ofRun, story: null }
  const ofStory: Spent = await records.spent(run, story)
  if (microUsd !== null) return { run: ofRun, story: ofStory }
  const calls = (await records.spending(run)).filter((each) => each.story === story)
  return { run: ofRun, story: { ...ofStory, cacheRead: calls.reduce((sum, each) => sum + each.cacheRead, 0) } }
}
