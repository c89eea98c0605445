import type { BudgetView } from '../../api/views/budget.ts'
import type { Spent } from '../../domain/run/budget.ts'
import { shownState } from '../../domain/run/outcome.ts'
import { budgetOf, isEnded, pausedBy, type Run } from '../../domain/run/run.ts'
import type { Records } from '../../ports/store.ts'
import { readOutcome } from '../../workflow/run/read-outcome.ts'
import { reading } from '../reading.ts'
import type { OwnedRecords } from '../state-access.ts'
import { findRun, isUnfinished } from './find/find-work.ts'
import { ownership } from './outcome-now.ts'
import { readShort } from './read-short.ts'

type BudgetNow = NonNullable<BudgetView['budget']>

/**
 * The budget of the named Run, or of the latest unfinished one. Contains only the Run if it has no
 * budget yet. Throws DrydockError `not_found`.
 */
export async function readBudgetView(drydock: OwnedRecords, id: string | undefined): Promise<BudgetView> {
  const isOwned = await ownership(drydock)
  return reading(drydock, async (records) => {
    const run = await findRun(records, id, isUnfinished)
    const named = { run: run.id, state: run.state, ended: isEnded(run.state) }
    if (run.data.base === null) return { ...named, budget: null }
    const { unpriced } = await records.totals(run.id)
    const spent = await records.spent(run.id)
    const outcome = await readOutcome(records, run, { isWorkedOn: isOwned(run) })
    const { runUsd, storyUsd, runTokens, storyTokens } = budgetOf(run)
    const budget = {
      shown: shownState(run, outcome),
      outcome,
      bounds: {
        run_usd: runUsd,
        story_usd: storyUsd,
        run_tokens: runTokens,
        ...(storyTokens !== undefined && { story_tokens: storyTokens }),
      },
      spent: { ...amountOf(spent), reserved: amountOf(spent.reserved) },
      maybe_charged: await maybeCharged(records, run, spent),
      spending: await records.spending(run.id),
      stories: await storiesOf(records, run),
      short: pausedBy(run) === 'budget' ? await readShort(records, run.id) : null,
      priced: unpriced === 0,
    }
    return { ...named, budget }
  })
}

function amountOf({ microUsd, tokens }: Spent): { micro_usd: number; tokens: number } {
  return { micro_usd: microUsd, tokens }
}

/** The spending that is explained neither by finished calls nor by calls in progress. */
async function maybeCharged(
  records: Records,
  { id }: Run,
  { microUsd, tokens, reserved }: Awaited<ReturnType<Records['spent']>>,
): Promise<BudgetNow['maybe_charged']> {
  const calls = await records.modelCalls(id)
  const cost = calls.reduce((sum, { costMicroUsd }) => sum + (costMicroUsd ?? 0), 0)
  const used = calls.reduce((sum, { usage }) => sum + (usage === null ? 0 : usage.input + usage.output), 0)
  return { micro_usd: microUsd - reserved.microUsd - cost, tokens: tokens - reserved.tokens - used }
}

async function storiesOf(records: Records, run: Run): Promise<BudgetNow['stories']> {
  const stories = await records.machines({ kind: 'story', run: run.id })
  return Promise.all(
    stories.map(async ({ story, state }) => {
      const { microUsd } = await records.spent(run.id, story ?? '')
      return { id: story ?? '', state, usd: microUsd / 1e6 }
    }),
  )
}
