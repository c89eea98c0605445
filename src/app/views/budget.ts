import type { Budget, Spending } from '../../domain/run/budget.ts'
import type { Outcome } from '../../domain/run/outcome.ts'
import { budgetOf, pausedBy, type Run } from '../../domain/run/run.ts'
import type { Records } from '../../ports/store.ts'
import { readOutcome } from '../../workflow/run/read-outcome.ts'
import type { Drydock } from '../drydock.ts'
import { reading } from '../reading.ts'
import { findRun, isUnfinished } from './find/find-work.ts'
import { ownership } from './outcome-now.ts'
import { readShort } from './read-short.ts'

/** The budget and the spending of a Run. */
export interface BudgetView {
  readonly run: Run
  readonly outcome: Outcome
  readonly budget: Budget
  readonly spent: Awaited<ReturnType<Records['spent']>>
  readonly spending: readonly Spending[]
  readonly stories: readonly { readonly id: string; readonly state: string; readonly usd: number }[]
  readonly short: Awaited<ReturnType<typeof readShort>> | null
  /** The price of every call is known. */
  readonly priced: boolean
}

/**
 * The budget of the named Run, or of the last unfinished one; only the Run if it has no budget yet.
 * Throws DrydockError `not_found`.
 */
export async function readBudgetView(
  drydock: Drydock,
  id: string | undefined,
): Promise<BudgetView | { readonly run: Run; readonly budget: null }> {
  const isOwned = await ownership(drydock)
  return reading(drydock, async (records) => {
    const run = await findRun(records, id, isUnfinished)
    if (run.data.base === null) return { run, budget: null }
    const { unpriced } = await records.totals(run.id)
    return {
      run,
      outcome: await readOutcome(records, run, { isWorkedOn: isOwned(run) }),
      budget: budgetOf(run),
      spent: await records.spent(run.id),
      spending: await records.spending(run.id),
      stories: await storiesOf(records, run),
      short: pausedBy(run) === 'budget' ? await readShort(records, run.id) : null,
      priced: unpriced === 0,
    }
  })
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
