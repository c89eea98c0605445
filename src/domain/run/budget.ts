import type { RunPolicy } from './run-policy.ts'

/**
 * The bounds of spending: dollars of a Run and of each of its stories, and tokens of a Run. Failed
 * calls count. `storyTokens` bounds calls of unknown price, which no dollars can bound, without
 * cached tokens; the field is missing in Runs of an older Drydock.
 */
export interface Budget {
  readonly runUsd: number
  readonly storyUsd: number
  readonly runTokens: number
  readonly storyTokens?: number
}

/**
 * Dollars named for a single Run replace the configured ones, including the bound of its only
 * story.
 */
export function withRunUsd(budget: Budget, runUsd: number | null, { stories }: Pick<RunPolicy, 'stories'>): Budget {
  if (runUsd === null) return budget
  return { ...budget, runUsd, ...(stories === 'one' && { storyUsd: runUsd }) }
}

/**
 * The possible or actual cost of one call. Money is in millionths of a dollar; null when nobody
 * knows the price.
 */
export interface Amount {
  readonly microUsd: number | null
  readonly tokens: number
}

/** The spending, including the reservations of calls in progress. */
export interface Spent {
  readonly microUsd: number
  readonly tokens: number
  /** The cached part of the input tokens. */
  readonly cacheRead?: number
}

/** The bound that blocks a call. */
export type Cap = 'run_usd' | 'story_usd' | 'run_tokens' | 'story_tokens'

/** True for both bounds in tokens; a raise covers both. */
export function isOfTokens(cap: Cap): boolean {
  return cap === 'run_tokens' || cap === 'story_tokens'
}

/** A bound that blocks a call; in dollars or tokens. */
export interface Shortage {
  readonly cap: Cap
  readonly limit: number
  /** Spending, including the reservations of calls in progress. */
  readonly spent: number
  readonly left: number
  /** The most that the call may cost. */
  readonly needed: number
  /** The additional amount that the call needs, in whole cents or thousands of tokens. */
  readonly raise: number
}

/**
 * A bound of the budget that stops work, in the form for display. The need of the next call is
 * unknown for a lane that an older Drydock paused.
 */
export interface ReachedBound {
  readonly cap: Cap
  readonly limit: number
  readonly spent: number
  readonly left?: number
  readonly needed?: number
  readonly raise?: number
}

/**
 * The bounds that a call would exceed: tokens, and the bound in dollars that lacks more, since a
 * raise covers both. Empty when the call fits. A call whose price is unknown is bounded by its
 * tokens alone.
 */
export function shortagesOf(
  budget: Budget,
  spent: { readonly run: Spent; readonly story: Spent | null },
  wanted: Amount,
): readonly Shortage[] {
  const usd = wanted.microUsd ?? 0
  const run = dollarsShort('run_usd', { limit: budget.runUsd, spent: spent.run.microUsd, needed: usd })
  const story =
    spent.story && dollarsShort('story_usd', { limit: budget.storyUsd, spent: spent.story.microUsd, needed: usd })
  const ofRun = { limit: budget.runTokens, spent: spent.run.tokens, needed: wanted.tokens }
  const tokens = [tokensShort('run_tokens', ofRun), storyTokensShort(budget, spent.story, wanted)]
  const [ofTokens] = tokens.filter((each) => each !== null).toSorted((a, b) => b.raise - a.raise)
  const ofDollars = run && story ? (story.raise > run.raise ? story : run) : (run ?? story)
  return [...(ofTokens ? [ofTokens] : []), ...(ofDollars ? [ofDollars] : [])]
}

function storyTokensShort({ storyTokens }: Budget, story: Spent | null, { microUsd, tokens }: Amount): Shortage | null {
  if (storyTokens === undefined || story === null || microUsd !== null) return null
  const spent = story.tokens - (story.cacheRead ?? 0)
  return tokensShort('story_tokens', { limit: storyTokens, spent, needed: tokens })
}

function tokensShort(
  cap: Cap,
  { limit, spent, needed }: { readonly limit: number; readonly spent: number; readonly needed: number },
): Shortage | null {
  const over = spent + needed - limit
  if (over <= 0) return null
  return { cap, limit, spent, needed, left: Math.max(0, limit - spent), raise: Math.ceil(over / 1_000) * 1_000 }
}

/** The missing amount, in millionths of a dollar. */
function dollarsShort(
  cap: Cap,
  { limit, spent, needed }: { readonly limit: number; readonly spent: number; readonly needed: number },
): Shortage | null {
  const over = spent + needed - limit * 1e6
  if (over <= 0) return null
  const left = Math.max(0, limit - spent / 1e6)
  return { cap, limit, spent: spent / 1e6, left, needed: needed / 1e6, raise: Math.ceil(over / 1e4) / 100 }
}

/** The first bound that a call would exceed; null when the call fits. */
export function capInTheWay(...asked: Parameters<typeof shortagesOf>): Cap | null {
  return shortagesOf(...asked)[0]?.cap ?? null
}

interface Waiting {
  readonly cap: Cap
  readonly raise?: number
  readonly needed?: number
}

/**
 * A raise that is enough for all waiting calls: calls that share a bound each need their part.
 * Dollars are added to the bounds of the Run and of each story.
 */
export function raiseOf(paused: readonly Waiting[]): { readonly usd: number; readonly tokens: number } {
  const of = (cap: Cap) => paused.filter((each) => each.cap === cap)
  const usd = Math.max(together(of('run_usd')), ...of('story_usd').map(({ raise }) => Number(raise)), 0)
  const tokens = Math.max(together(of('run_tokens')), ...of('story_tokens').map(({ raise }) => Number(raise)), 0)
  // An older Drydock did not store the needs of calls.
  if (Number.isNaN(usd + tokens) || usd + tokens === 0) {
    const isTokens = paused.length > 0 && paused.every(({ cap }) => isOfTokens(cap))
    return isTokens ? { usd: 0, tokens: 5_000_000 } : { usd: 5, tokens: 0 }
  }
  return { usd: Math.ceil(Math.round(usd * 1e6) / 1e4) / 100, tokens: Math.ceil(tokens / 1_000) * 1_000 }
}

/** The raise as flags of `drydock budget`. */
export function raiseFlags(paused: readonly Waiting[]): string {
  const { usd, tokens } = raiseOf(paused)
  return [usd > 0 && `--raise ${usd}`, tokens > 0 && `--raise-tokens ${tokens}`].filter(Boolean).join(' ')
}

/** The shortage of the first call, and the needs of the others. */
function together([first, ...others]: readonly Waiting[]): number {
  return others.reduce((sum, { needed }) => sum + Number(needed), first === undefined ? 0 : Number(first.raise))
}

/**
 * True if a person named dollars for a Run, or it may cost none: then calls of unknown price are
 * forbidden.
 */
export function dollarsBind(
  budget: Budget,
  {
    budgetUsd,
    config,
  }: { readonly budgetUsd: number | null; readonly config: { readonly dollarsNamed?: boolean } | null },
): boolean {
  return budgetUsd !== null || config?.dollarsNamed === true || budget.runUsd === 0 || budget.storyUsd === 0
}

/**
 * The cost of one agent's calls for one story, including failed calls. With story null, for calls
 * that belong to no story.
 */
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
  /**
   * Millionths of a dollar of the calls with a known price, including the possible cost of calls
   * whose end is unknown.
   */
  readonly microUsd: number
  /** Calls of unknown price that have tokens, or whose end is unknown. */
  readonly unpriced: number
}
