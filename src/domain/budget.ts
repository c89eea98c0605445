/** What may be spent: dollars of a Run and of each of its stories, and tokens of a Run, failed calls included. */
export interface Budget {
  readonly runUsd: number
  readonly storyUsd: number
  readonly runTokens: number
}

/** Where dollars were named for a Run alone: the configured ones give way, and those of its only story with them. */
export function withRunUsd(budget: Budget, runUsd: number | null, { hasCrew }: { readonly hasCrew: boolean }): Budget {
  if (runUsd === null) return budget
  return { ...budget, runUsd, ...(!hasCrew && { storyUsd: runUsd }) }
}

/** What one call may cost, or did. Money is in millionths of a dollar; null when nobody knows the price. */
export interface Amount {
  readonly microUsd: number | null
  readonly tokens: number
}

/** What has been spent, with what is reserved by calls that are under way. */
export interface Spent {
  readonly microUsd: number
  readonly tokens: number
}

/** The bound that stands in the way of a call. */
export type Cap = 'run_usd' | 'story_usd' | 'run_tokens'

/** The first bound that a call would go over; null when it may be made. A call whose price is unknown is bounded by its tokens alone. */
export function capInTheWay(
  budget: Budget,
  spent: { readonly run: Spent; readonly story: Spent | null },
  wanted: Amount,
): Cap | null {
  const usd = wanted.microUsd ?? 0
  if (spent.run.tokens + wanted.tokens > budget.runTokens) return 'run_tokens'
  if (spent.run.microUsd + usd > budget.runUsd * 1e6) return 'run_usd'
  if (spent.story !== null && spent.story.microUsd + usd > budget.storyUsd * 1e6) return 'story_usd'
  return null
}

/** What the calls of one agent about one story have cost, or with story null about none; failed ones included. */
export interface Spending {
  readonly story: string | null
  /** `architect`, `editor` or `scout`. */
  readonly agent: string
  readonly calls: number
  readonly failed: number
  /** Tokens; `input` includes what was read from or written to a cache. */
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
  /** Millionths of a dollar of the calls whose price is known; with what calls that nobody saw end may have cost. */
  readonly microUsd: number
  /** Calls with tokens, and calls that nobody saw end, whose price is not known. */
  readonly unpriced: number
}
