import type { Spending } from '../../domain/run/budget.ts'
import { usdOf } from '../text/format-usd.ts'

/** Sums of calls, failed ones included, as `--json` shows them. */
export interface Costs {
  /** null while the price of one of the calls is not known. */
  readonly cost_usd: number | null
  readonly calls: number
  readonly failed: number
  /** With what was read from or written to a cache. */
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
 * All that a Run has cost, shared out to the stories that are in its branch; null before there is
 * one, or while it is not known.
 */
export function usdPerMerged(spending: readonly Spending[], merged: number): number | null {
  const { cost_usd: all } = costsOf(spending)
  return all === null || merged === 0 ? null : all / merged
}
