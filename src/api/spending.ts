import { z } from 'zod'

/** What calls of models have used. */
export const spendingSchema = z.object({
  calls: z.int(),
  tool_calls: z.int(),
  tokens: z.int(),
  /** Dollars of the calls whose price is known: with `unpriced` over 0 it is more than this. */
  cost_usd: z.number(),
  /** Calls whose price is not known. */
  unpriced: z.int(),
})

export type Spending = z.infer<typeof spendingSchema>

/** What the calls of one role have used; `architect`, `editor` or `scout`. */
export const roleSpendingSchema = z.object({
  agent: z.string(),
  /** null: about no story. */
  story: z.string().nullable(),
  calls: z.int(),
  failed: z.int(),
  /** Tokens; `input` includes what was read from or written to a cache. */
  input: z.int(),
  output: z.int(),
  cache_read: z.int(),
  cache_write: z.int(),
  cost_usd: z.number(),
  unpriced: z.int(),
})

export type RoleSpending = z.infer<typeof roleSpendingSchema>

/** Bounds, with what is used of them; null before a Run has started. */
export const budgetSchema = z.object({
  run_usd: z.number(),
  story_usd: z.number(),
  run_tokens: z.int(),
  /** With what is reserved by calls under way. */
  spent_usd: z.number(),
  spent_tokens: z.int(),
  reserved_usd: z.number(),
  reserved_tokens: z.int(),
  calls_under_way: z.int(),
})

export type Budget = z.infer<typeof budgetSchema>
