import { z } from 'zod'

/** An ISO 8601 time. */
const time = z.string()

/** GET /api/runs/:run/figures: statistics from the stored records. */
export const figuresSchema = z.object({
  /** The first and the last known moment of all data below. */
  from: time,
  to: time,
  /** The cumulative usage of each role, at the end of each of at most 200 equal time spans. */
  spending: z.array(
    z.object({
      at: time,
      cost_usd: z.object({ architect: z.number(), editor: z.number(), scout: z.number() }),
      tokens: z.object({ architect: z.int(), editor: z.int(), scout: z.int() }),
    }),
  ),
  /** The number of calls whose price is unknown, and which `cost_usd` does not include. */
  unpriced: z.int(),
  /** The number of stories by the status of their n-th verification. */
  attempts: z.array(z.object({ attempt: z.int(), PASS: z.int(), FAIL: z.int(), INFRA_ERROR: z.int() })),
  /**
   * Seconds that each story spent in each state, including its current one; states in the order of
   * the machine.
   */
  states: z.array(
    z.object({
      story: z.string(),
      title: z.string(),
      seconds: z.array(z.object({ state: z.string(), seconds: z.number() })),
    }),
  ),
})

export type Figures = z.infer<typeof figuresSchema>
