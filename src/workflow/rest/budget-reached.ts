import type { Lane } from '../../domain/lane/lane.ts'
import { type Budget, type Cap, type Shortage, shortagesOf } from '../../domain/run/budget.ts'
import { budgetOf, type Run } from '../../domain/run/run.ts'
import type { Records } from '../../ports/store.ts'
import { list } from '../machines.ts'

/**
 * A bound that keeps work from going on. What its next call needs is not known of a lane that an
 * older Drydock has paused.
 */
export type BudgetReached = Pick<Shortage, 'cap' | 'limit' | 'spent'> & Partial<Shortage>

/** What a lane is short of: each bound that would still be in the way when another is raised. */
export async function budgetReached(
  records: Records,
  budget: Budget,
  { run, story, data: { shortOf, wanted = null } }: Pick<Lane, 'run' | 'story' | 'data'>,
): Promise<readonly BudgetReached[]> {
  if (shortOf === null) return []
  const spent = { run: await records.spent(run), story: story === null ? null : await records.spent(run, story) }
  if (wanted === null) return [reachedAt(budget, { cap: shortOf, ...spent })]
  return shortagesOf(budget, spent, wanted)
}

interface Reaching {
  readonly cap: Cap
  readonly run: { readonly microUsd: number; readonly tokens: number }
  readonly story: { readonly microUsd: number } | null
}

function reachedAt({ runUsd, storyUsd, runTokens }: Budget, { cap, run, story }: Reaching): BudgetReached {
  switch (cap) {
    case 'run_tokens':
      return { cap, limit: runTokens, spent: run.tokens }
    case 'run_usd':
      return { cap, limit: runUsd, spent: run.microUsd / 1e6 }
    case 'story_usd':
      return { cap, limit: storyUsd, spent: (story ?? run).microUsd / 1e6 }
    default:
      throw new Error(`unknown bound ${cap satisfies never}`)
  }
}

/** All that keeps a Run's stories from going on, each bound of each story once. */
export async function allReached(
  records: Records,
  run: Run,
): Promise<readonly (BudgetReached & { readonly story: string | null })[]> {
  const lanes = await list(records, 'lane', { run: run.id, states: ['ASKING'] })
  const short = lanes.filter(({ data }) => data.shortOf !== null)
  const reached = await Promise.all(
    short.map(async (lane) => {
      const bounds = await budgetReached(records, budgetOf(run), lane)
      return bounds.map((each) => ({ story: lane.story, ...each }))
    }),
  )
  return [...new Map(reached.flat().map((each) => [`${each.story} ${each.cap}`, each])).values()]
}
