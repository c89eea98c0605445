import { z } from 'zod'

/** The usage of model calls. */
export const spendingSchema = z.object({
  calls: z.int(),
  tool_calls: z.int(),
  tokens: z.int(),
  /** Dollars of the calls whose price is known. A lower bound if `unpriced` is over 0. */
  cost_usd: z.number(),
  /** The number of calls whose price is unknown. */
  unpriced: z.int(),
})

export type Spending = z.infer<typeof spendingSchema>

/** The usage of one role: `architect`, `editor` or `scout`. */
export const roleSpendingSchema = z.object({
  agent: z.string(),
  /** Null for calls that belong to no story. */
  story: z.string().nullable(),
  calls: z.int(),
  failed: z.int(),
  /** Tokens; `input` includes tokens that were read from or written to a cache. */
  input: z.int(),
  output: z.int(),
  cache_read: z.int(),
  cache_write: z.int(),
  cost_usd: z.number(),
  unpriced: z.int(),
})

export type RoleSpending = z.infer<typeof roleSpendingSchema>

/** Bounds and the used part of each; null until a Run has started. */
export const budgetSchema = z.object({
  run_usd: z.number(),
  story_usd: z.number(),
  run_tokens: z.int(),
  /** Includes the reservations of calls in progress. */
  spent_usd: z.number(),
  spent_tokens: z.int(),
  reserved_usd: z.number(),
  reserved_tokens: z.int(),
  calls_under_way: z.int(),
})

export type Budget = z.infer<typeof budgetSchema>
