import { z } from 'zod'

/** An ISO 8601 time. */
const time = z.string()

/** The current activity of one conversation with a model. */
export const laneNowSchema = z.object({
  id: z.string(),
  story: z.string().nullable(),
  /** The key of the lane, such as `editor/parser/CODING`. */
  lane: z.string(),
  /** `architect`, `editor` or `scout`. */
  agent: z.string(),
  /** The model call in progress; null without one. */
  asking: z
    .object({
      since: time,
      model: z.string(),
      /** `waiting` until something arrives, then the kind of the arriving part. */
      kind: z.enum(['waiting', 'thought', 'text', 'call']),
      /** The number of characters that have arrived. */
      chars: z.int(),
      /** The tool whose call is arriving. */
      tool: z.string().nullable(),
    })
    .nullable(),
  /**
   * The end of the model's current text or thought, without words that may turn out to be secret.
   * Between two calls, the end of the previous one. Untrusted.
   */
  said: z.string(),
  /** Tool calls in progress. */
  tools: z.array(z.object({ line: z.string(), since: time })),
  /** The approximate tokens of the last request, and the model's context window if known. */
  context: z.object({ tokens: z.number(), window: z.number().nullable() }).nullable(),
  /** Dollars per minute over the last five minutes; null while no price is known. */
  usd_per_minute: z.number().nullable(),
})

export type LaneNow = z.infer<typeof laneNowSchema>

/** GET /api/runs/:run/now: the active conversations. Not stored, so empty if no process works. */
export const nowSchema = z.object({
  /** The value of `after` for the next request. */
  version: z.int(),
  /** The time on the server's clock. */
  at: time,
  lanes: z.array(laneNowSchema),
})

export type Now = z.infer<typeof nowSchema>

/** An SSE message `now` of GET /api/events: the changes since the previous message. */
export const nowChangesSchema = z.object({
  run: z.string(),
  /** Null for the whole Run. */
  story: z.string().nullable(),
  /** The time on the server's clock. */
  at: time,
  /** New and changed lanes; all lanes in the first message. */
  lanes: z.array(laneNowSchema),
  /** Ids of all current lanes; any other lane has ended. */
  ids: z.array(z.string()),
})

export type NowChanges = z.infer<typeof nowChangesSchema>

export const nowQuerySchema = z.object({
  /**
   * The version that the client has. The response comes when there is a newer one, or after 20
   * seconds.
   */
  after: z.coerce.number().int().min(0).optional(),
  /** Limits the response to one story, with longer texts. */
  story: z.string().max(100).optional(),
})

export type NowQuery = z.infer<typeof nowQuerySchema>
