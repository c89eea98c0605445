import { usdOf } from '../../domain/figures-text.ts'
import type { Spending } from '../../domain/run/budget.ts'

/** Sums of calls, failed ones included, as `--json` shows them. */
export interface Costs {
  /** Null while the price of one of the calls is unknown. */
  readonly cost_usd: number | null
  readonly calls: number
  readonly failed: number
  /** Includes tokens that were read from or written to a cache. */
  readonly input_tokens: number
  readonly output_tokens: number
  readonly cache_read_tokens: number
  readonly cache_write_tokens: number
}

export function costsOf(spending: readonly Spending[]): Costs {
  const sum = (pick: (each: Spending) => number) => spending.reduce((before, each) => before + pick(each), 0)
  return {
    cost_usd: usdOf({ microUsd: sum(({ microUsd }) => microUsd), unpriced: sum(({ unpriced }) => unpriced) }),
    calls: sum(({ calls }) => calls),
    failed: sum(({ failed }) => failed),
    input_tokens: sum(({ input }) => input),
    output_tokens: sum(({ output }) => output),
    cache_read_tokens: sum((each) => each.cacheRead),
    cache_write_tokens: sum((each) => each.cacheWrite),
  }
}

/** Costs by agent, in the order of their first calls. */
export function costsByAgent(spending: readonly Spending[]): readonly (Costs & { readonly agent: string })[] {
  const agents = [...new Set(spending.map(({ agent }) => agent))]
  return agents.map((agent) => ({ agent, ...costsOf(spending.filter((each) => each.agent === agent)) }))
}

export function costsOfStory(spending: readonly Spending[], story: string): Costs {
  return costsOf(spending.filter((each) => each.story === story))
}

/**
 * The cost of a Run divided by the number of merged stories; null if none is merged, or if the cost
 * is unknown.
 */
export function usdPerMerged(spending: readonly Spending[], merged: number): number | null {
  const { cost_usd: all } = costsOf(spending)
  return all === null || merged === 0 ? null : all / merged
}
