import type { Budget, Spending } from '../../domain/run/budget.ts'
import type { Outcome } from '../../domain/run/outcome.ts'
import { budgetOf, pausedBy, type Run } from '../../domain/run/run.ts'
import type { Records } from '../../ports/store.ts'
import { readOutcome } from '../../workflow/run/read-outcome.ts'
import { reading } from '../reading.ts'
import type { OwnedRecords } from '../state-access.ts'
import { findRun, isUnfinished } from './find/find-work.ts'
import { ownership } from './outcome-now.ts'
import { readShort } from './read-short.ts'

/** The budget and the spending of a Run. */
export interface BudgetView {
  readonly run: Run
  readonly outcome: Outcome
  readonly budget: Budget
  readonly spent: Awaited<ReturnType<Records['spent']>>
  /**
   * The part of the spending for calls whose end was not seen. Their providers may have charged for
   * them.
   */
  readonly maybeCharged: { readonly microUsd: number; readonly tokens: number }
  readonly spending: readonly Spending[]
  readonly stories: readonly { readonly id: string; readonly state: string; readonly usd: number }[]
  readonly short: Awaited<ReturnType<typeof readShort>> | null
  /** True if the price of every call is known. */
  readonly priced: boolean
}

/**
 * The budget of the named Run, or of the latest unfinished one. Contains only the Run if it has no
 * budget yet. Throws DrydockError `not_found`.
 */
export async function readBudgetView(
  drydock: OwnedRecords,
  id: string | undefined,
): Promise<BudgetView | { readonly run: Run; readonly budget: null }> {
  const isOwned = await ownership(drydock)
  return reading(drydock, async (records) => {
    const run = await findRun(records, id, isUnfinished)
    if (run.data.base === null) return { run, budget: null }
    const { unpriced } = await records.totals(run.id)
    const spent = await records.spent(run.id)
    return {
      run,
      outcome: await readOutcome(records, run, { isWorkedOn: isOwned(run) }),
      budget: budgetOf(run),
      spent,
      maybeCharged: await maybeCharged(records, run, spent),
      spending: await records.spending(run.id),
      stories: await storiesOf(records, run),
      short: pausedBy(run) === 'budget' ? await readShort(records, run.id) : null,
      priced: unpriced === 0,
    }
  })
}

/** The spending that is explained neither by finished calls nor by calls in progress. */
async function maybeCharged(
  records: Records,
  { id }: Run,
  { microUsd, tokens, reserved }: BudgetView['spent'],
): Promise<BudgetView['maybeCharged']> {
  const calls = await records.modelCalls(id)
  const cost = calls.reduce((sum, { costMicroUsd }) => sum + (costMicroUsd ?? 0), 0)
  const used = calls.reduce((sum, { usage }) => sum + (usage === null ? 0 : usage.input + usage.output), 0)
  return { microUsd: microUsd - reserved.microUsd - cost, tokens: tokens - reserved.tokens - used }
}

async function storiesOf(records: Records, run: Run): Promise<BudgetView['stories']> {
  const stories = await records.machines({ kind: 'story', run: run.id })
  return Promise.all(
    stories.map(async ({ story, state }) => {
      const { microUsd } = await records.spent(run.id, story ?? '')
      return { id: story ?? '', state, usd: microUsd / 1e6 }
    }),
  )
}
