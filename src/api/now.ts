import { z } from 'zod'

/** ISO 8601. */
const time = z.string()

/** What one conversation with a model does at this moment. */
export const laneNowSchema = z.object({
  id: z.string(),
  story: z.string().nullable(),
  /** Its key, as `editor/parser/CODING`. */
  lane: z.string(),
  /** `architect`, `editor` or `scout`. */
  agent: z.string(),
  /** The call of its model that is under way; null while none is. */
  asking: z
    .object({
      since: time,
      model: z.string(),
      /** Nothing has come yet, or what comes now. */
      kind: z.enum(['waiting', 'thought', 'text', 'call']),
      /** Characters that have come. */
      chars: z.int(),
      /** The tool whose call it writes. */
      tool: z.string().nullable(),
    })
    .nullable(),
  /**
   * The last of what its model says or thinks, without words that may yet turn out to be secret;
   * between two calls that of the one before. Never trusted.
   */
  said: z.string(),
  /** Calls of tools that are under way. */
  tools: z.array(z.object({ line: z.string(), since: time })),
  /** Tokens of the last request, about, and the most that the model takes, where that is known. */
  context: z.object({ tokens: z.number(), window: z.number().nullable() }).nullable(),
  /** Dollars a minute over the last five minutes; null while no price is known. */
  usd_per_minute: z.number().nullable(),
})

export type LaneNow = z.infer<typeof laneNowSchema>

/**
 * GET /api/runs/:run/now: the conversations that go on. Nothing of it is stored, so it is empty
 * where no process works.
 */
export const nowSchema = z.object({
  /** Of the next request, as `after`. */
  version: z.int(),
  /** By the clock of the server. */
  at: time,
  lanes: z.array(laneNowSchema),
})

export type Now = z.infer<typeof nowSchema>

/** An SSE message `now` of GET /api/events: what has changed since the one before. */
export const nowChangesSchema = z.object({
  run: z.string(),
  /** Null for all of the Run. */
  story: z.string().nullable(),
  /** By the clock of the server. */
  at: time,
  /** New ones and those that have changed; in the first message all. */
  lanes: z.array(laneNowSchema),
  /** All that there are; others have ended. */
  ids: z.array(z.string()),
})

export type NowChanges = z.infer<typeof nowChangesSchema>

export const nowQuerySchema = z.object({
  /** The version that is known: it is answered when there is another, or after 20 seconds. */
  after: z.coerce.number().int().min(0).optional(),
  /** Only that of one story, with more of what is said. */
  story: z.string().max(100).optional(),
})

export type NowQuery = z.infer<typeof nowQuerySchema>
