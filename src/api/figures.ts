import { z } from 'zod'

/** ISO 8601. */
const time = z.string()

/** GET /api/runs/:run/figures: computed from the records. */
export const figuresSchema = z.object({
  /** Of all that follows: the first and the last moment that is known. */
  from: time,
  to: time,
  /**
   * What each role has used up to a moment, growing; one point at the end of each of at most 200
   * equal spans.
   */
  spending: z.array(
    z.object({
      at: time,
      cost_usd: z.object({ architect: z.number(), editor: z.number(), scout: z.number() }),
      tokens: z.object({ architect: z.int(), editor: z.int(), scout: z.int() }),
    }),
  ),
  /** Calls whose price is not known, and which `cost_usd` lacks. */
  unpriced: z.int(),
  /** How the n-th verification of the stories' changes ended: counts of stories. */
  attempts: z.array(z.object({ attempt: z.int(), PASS: z.int(), FAIL: z.int(), INFRA_ERROR: z.int() })),
  /**
   * Seconds that each story was in each state, those it is in now included; states in the order of
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
