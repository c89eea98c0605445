import type { Lane } from '../agents/lane.ts'
import type { Budget, Cap } from '../domain/budget.ts'
import { budgetOf, type Run } from '../domain/run.ts'
import type { Records } from '../ports/store.ts'
import { list } from './machines.ts'

/** A bound that keeps work from going on; dollars, or tokens. */
export interface BudgetReached {
  readonly cap: Cap
  readonly limit: number
  /** With what is reserved by calls under way. */
  readonly spent: number
}

/** What a lane is short of. */
export async function budgetReached(
  records: Records,
  budget: Budget,
  { run, story, cap }: Pick<Lane, 'run' | 'story'> & { readonly cap: Cap },
): Promise<BudgetReached> {
  const { microUsd, tokens } = await records.spent(run, cap === 'story_usd' ? (story ?? undefined) : undefined)
  const limit = { run_usd: budget.runUsd, story_usd: budget.storyUsd, run_tokens: budget.runTokens }[cap]
  return { cap, limit, spent: cap === 'run_tokens' ? tokens : microUsd / 1e6 }
}

/** All that keeps a Run's stories from going on, each bound of each story once. */
export async function allReached(
  records: Records,
  run: Run,
): Promise<readonly (BudgetReached & { readonly story: string | null })[]> {
  const { id } = run
  const lanes = await list(records, 'lane', { run: id, states: ['ASKING'] })
  const short = new Map(lanes.map((lane) => [`${lane.story} ${lane.data.shortOf}`, lane]))
  const waiting = [...short.values()].flatMap(({ story, data: { shortOf } }) =>
    shortOf === null ? [] : [{ run: id, story, cap: shortOf }],
  )
  return Promise.all(
    waiting.map(async (each) => ({ story: each.story, ...(await budgetReached(records, budgetOf(run), each)) })),
  )
}
