import { z } from 'zod'
import type { ReachedBound, Spending } from '../../domain/run/budget.ts'
import { runStates } from '../../domain/run/run-machine.ts'
import { outcomeSchema } from '../outcome.ts'
import { typed } from './typed.ts'
import { idSchema } from './work.ts'

/** The calls of one agent for one story, with their sums. */
export const agentSpendingSchema = typed<Spending>(
  z.looseObject({
    agent: z.string(),
    story: z.string().nullable(),
    calls: z.int(),
    failed: z.int(),
    microUsd: z.number(),
    unpriced: z.int(),
  }),
)

/** A bound that stops the work, in dollars or tokens. */
export const reachedBoundSchema = typed<ReachedBound>(
  z.looseObject({ cap: z.string(), limit: z.number(), spent: z.number() }),
)

/** The bounds in the way of a Run, and the command line that raises them enough. */
export const shortSchema = z.object({ bounds: z.array(reachedBoundSchema).readonly(), command: z.string() })

const amount = z.object({ micro_usd: z.number(), tokens: z.int() })

/** Query of GET /api/budget. */
export const budgetQuerySchema = z.object({ id: idSchema })

/** GET /api/budget: `budget` is null before the Run has one. */
export const budgetViewSchema = z.object({
  run: z.string(),
  state: z.enum(runStates),
  ended: z.boolean(),
  budget: z
    .object({
      /** The state as people see it. */
      shown: z.string(),
      outcome: outcomeSchema,
      bounds: z.object({
        run_usd: z.number(),
        story_usd: z.number(),
        run_tokens: z.int(),
        story_tokens: z.int().optional(),
      }),
      /** Includes the reservations of calls in progress. */
      spent: amount.extend({ reserved: amount }),
      /** The spending for calls that nobody saw end: their providers may have charged for them. */
      maybe_charged: amount,
      spending: z.array(agentSpendingSchema).readonly(),
      stories: z.array(z.object({ id: z.string(), state: z.string(), usd: z.number() })).readonly(),
      short: shortSchema.nullable(),
      /** The price of every call is known. */
      priced: z.boolean(),
    })
    .nullable(),
})

export type BudgetView = z.infer<typeof budgetViewSchema>
