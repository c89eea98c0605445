import { z } from 'zod'

/**
 * One entry of the event log, as `GET /api/events` sends it: an SSE message without a name whose
 * `id:` is the event's. Who comes back says the last one as `?after=` or `Last-Event-ID`, so that
 * nothing is missed and nothing comes twice. Types and the `data` of each:
 *
 * | type | data |
 * | --- | --- |
 * | `run` | `{ kind, title }`: a Run was stored |
 * | `run_state` | `{ from, event, to, … }` |
 * | `state` | `{ from, event, to }`: a story moved |
 * | `stories` | `{ count, ids }` |
 * | `lane` | `{ lane, state }` |
 * | `model_call` | `{ lane, turn, stop, error, tokens }` |
 * | `tool` | `{ lane, turn, tool, ok }` |
 * | `verification` | `{ run_id, status, error_type? }` |
 * | `review` | `{ kind, round, verdict, open, findings }` |
 * | `request` | `{ kind, round, state, verdict? }` |
 * | `scout` | `{ scout, query, try?, state }` |
 * | `accepted` | `{ findings }`: a human has accepted them |
 * | `fewer_coders` | `{ asked, allowed, source }`: the repository asks for more editors at once than the user's own number |
 * | `merge` | `{ state, sha?, conflicts? }` |
 * | `chat` | `{ id, agent_id, reply_to? }` |
 * | `escalation` | `{ id, question, evidence }`: a human is asked |
 * | `escalation_answered` | `{ id, answer }` |
 * | `notification_failed` | `{ id, about, message, notifier, error, tries }`: a hook of the user's could not be told, and is not tried again |
 * | `paused` | `{ reason: 'budget', cap, limit, spent }`, or `{ reason: 'user' }`: a human has paused the Run |
 * | `suspended`, `resumed` | `{ lane, reason?, until? }`: a provider does not answer, or does again |
 * | `budget` | the bounds after a raise |
 * | `prepare` | `{ step, command }` |
 * | `error` | `{ code, message, todo }` |
 * | `result` | the Run came to rest |
 *
 * There is one message with a name, `owner` (`ownerSchema`), without an id: at the start, and whenever it changes. Every 15 seconds a comment keeps the stream open.
 */
export const eventSchema = z.object({
  id: z.int(),
  run: z.string(),
  story: z.string().nullable(),
  type: z.string(),
  data: z.record(z.string(), z.unknown()),
  /** ISO 8601. */
  at: z.string(),
})

export type Event = z.infer<typeof eventSchema>

/** Whether a process works on this state now: without one nothing goes on. */
export const ownerSchema = z.object({ owned: z.boolean() })

export type Owner = z.infer<typeof ownerSchema>

/** Query of the stream. Without `after` and `Last-Event-ID` it begins with what happens next; `Last-Event-ID` wins. */
export const eventStreamQuerySchema = z.object({ after: z.coerce.number().int().min(0).optional() })

/** Query of GET /api/runs/:run/events. */
export const eventListQuerySchema = z.object({
  /** Only events with a smaller id. */
  before: z.coerce.number().int().min(1).optional(),
  /** Only those of a story. */
  story: z.string().max(100).optional(),
  limit: z.coerce.number().int().min(1).max(1_000).default(200),
})

/** Newest first; `next` is the `before` of the next page, null at the end. */
export const eventListSchema = z.object({ events: z.array(eventSchema), next: z.int().nullable() })

export type EventList = z.infer<typeof eventListSchema>
