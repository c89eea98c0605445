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
  if (story === null) return { run: await records.spent(run), story: null }
  // Asked together, which a server answers in one go.
  const [ofRun, known, byAgent] = await Promise.all([
    records.spent(run),
    records.spent(run, story),
    microUsd === null ? records.spending(run) : null,
  ])
  const ofStory: Spent = known
  if (byAgent === null) return { run: ofRun, story: ofStory }
  const calls = byAgent.filter((each) => each.story === story)
  return { run: ofRun, story: { ...ofStory, cacheRead: calls.reduce((sum, each) => sum + each.cacheRead, 0) } }
}
