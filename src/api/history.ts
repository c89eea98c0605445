import { z } from 'zod'

/** An ISO 8601 time. */
const time = z.string()

/** The kinds of moments that people look for in the past. */
const momentMarks = ['verdict', 'question', 'merge', 'review'] as const

export type MomentMark = (typeof momentMarks)[number]

/** An event of a Run in brief, with the values that it changed. Other fields are absent. */
const momentSchema = z.object({
  /** The id in the event log. */
  id: z.int(),
  at: time,
  type: z.string(),
  story: z.string().nullable(),
  /** The change as a sentence. Untrusted. */
  what: z.string(),
  /** The lane in which the event happened. */
  lane: z.string().optional(),
  /** The story's state from this event on; without a story, the Run's state. */
  state: z.string().optional(),
  /** The status of a verification. */
  status: z.enum(['PASS', 'FAIL', 'INFRA_ERROR']).optional(),
  mark: z.enum(momentMarks).optional(),
  /** Dollars and tokens that this one call used; dollars are null if the price is unknown. */
  cost_usd: z.number().nullable().optional(),
  tokens: z.int().optional(),
  /** The stories of the Run from this event on. */
  stories: z.array(z.string()).optional(),
})

export type Moment = z.infer<typeof momentSchema>

/** Query of GET /api/runs/:run/history. */
export const historyQuerySchema = z.object({
  /** Only moments with a smaller id. */
  before: z.coerce.number().int().min(1).optional(),
  limit: z.coerce.number().int().min(1).max(5_000).default(5_000),
})

/** A commit with the work of a story at an earlier time. */
const keptStateSchema = z.object({
  story: z.string(),
  sha: z.string(),
  /** The commit that the work was based on at that time; null if unknown. */
  base: z.string().nullable(),
  /** The commit certainly existed from this moment on. */
  at: time,
  /** The reason why it was made. */
  why: z.string(),
})

export type KeptState = z.infer<typeof keptStateSchema>

/**
 * Moments, newest first; `next` is the `before` of the next page, null at the end. `kept` is only
 * on the newest page: the commits that git still has, oldest first.
 */
export const historySchema = z.object({
  moments: z.array(momentSchema),
  next: z.int().nullable(),
  kept: z.array(keptStateSchema),
})

export type History = z.infer<typeof historySchema>
