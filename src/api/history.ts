import { z } from 'zod'

/** ISO 8601. */
const time = z.string()

/** What people look for when they go through the past. */
const momentMarks = ['verdict', 'question', 'merge', 'review'] as const

export type MomentMark = (typeof momentMarks)[number]

/**
 * An event of a Run in short: what is needed to say what stood how just after it. What does not
 * apply is left out.
 */
const momentSchema = z.object({
  /** Of the event log. */
  id: z.int(),
  at: time,
  type: z.string(),
  story: z.string().nullable(),
  /** What has changed, as a sentence. Never trusted. */
  what: z.string(),
  /** The conversation that it happened in. */
  lane: z.string().optional(),
  /** The state that the story is in from here on; without a story, that of the Run. */
  state: z.string().optional(),
  /** Of a verification. */
  status: z.enum(['PASS', 'FAIL', 'INFRA_ERROR']).optional(),
  mark: z.enum(momentMarks).optional(),
  /** Dollars and tokens that this one call has used; null dollars where the price is not known. */
  cost_usd: z.number().nullable().optional(),
  tokens: z.int().optional(),
  /** The stories that the Run has from here on. */
  stories: z.array(z.string()).optional(),
})

export type Moment = z.infer<typeof momentSchema>

/** Query of GET /api/runs/:run/history. */
export const historyQuerySchema = z.object({
  /** Only moments with a smaller id. */
  before: z.coerce.number().int().min(1).optional(),
  limit: z.coerce.number().int().min(1).max(5_000).default(5_000),
})

/** A commit that holds the work of a story as it was. */
const keptStateSchema = z.object({
  story: z.string(),
  sha: z.string(),
  /** The commit that the work stood on then; null where it is not known. */
  base: z.string().nullable(),
  /** From this moment on it was surely there. */
  at: time,
  /** What it was made for. */
  why: z.string(),
})

export type KeptState = z.infer<typeof keptStateSchema>

/**
 * Newest first; `next` is the `before` of the next page, null at the end. `kept` is with the newest
 * page alone, oldest first, and has what git still keeps.
 */
export const historySchema = z.object({
  moments: z.array(momentSchema),
  next: z.int().nullable(),
  kept: z.array(keptStateSchema),
})

export type History = z.infer<typeof historySchema>
