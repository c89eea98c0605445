import { z } from 'zod'
import type { Event as StoredEvent } from '../domain/event.ts'
import { typed } from './views/typed.ts'

/**
 * One entry of the event log, as `GET /api/events` sends it: an SSE message without a name, whose
 * `id:` is the event's id. A client that reconnects sends the last id as `?after=` or
 * `Last-Event-ID`, and then receives every later event exactly once. `type` determines the form of
 * `data`: see docs/events.md, generated from `EventData`.
 *
 * Three messages have a name and no id: `owner` (`ownerSchema`), at the start and whenever the
 * owner changes, `now` (`nowChangesSchema`) about the Runs in `?now=`, and `ending`, when the
 * server is about to end. The server then answers for up to another second, or until all streams
 * are closed. A comment every 15 seconds keeps the stream open.
 */
const anyEvent = z.object({
  id: z.int(),
  run: z.string(),
  story: z.string().nullable(),
  type: z.string(),
  data: z.record(z.string(), z.unknown()),
  /** An ISO 8601 time. */
  at: z.string(),
  /** The person who caused the event, on a hub. */
  actor: z.string().optional(),
})

/** Only the envelope is checked at run time; the type is the domain's union. */
export const eventSchema = typed<StoredEvent>(anyEvent)

export type Event = z.infer<typeof eventSchema>

/** `owned` is true if a process works on this state. Without one, no work continues. */
export const ownerSchema = z.object({ owned: z.boolean() })

export type Owner = z.infer<typeof ownerSchema>

/**
 * Query of the stream. Without `after` and `Last-Event-ID` it begins with the next event;
 * `Last-Event-ID` takes precedence.
 */
export const eventStreamQuerySchema = z.object({
  after: z.coerce.number().int().min(0).optional(),
  /**
   * Runs, or stories as `<run>/<story>`, whose live conversations are reported. Separated by
   * commas; at most 20.
   */
  now: z.string().max(8_000).optional(),
})

/** Query of GET /api/runs/:run/events. */
export const eventListQuerySchema = z.object({
  /** Only events with a smaller id. */
  before: z.coerce.number().int().min(1).optional(),
  /** Only events of a story. */
  story: z.string().max(100).optional(),
  /** Only events of these types, separated by commas. */
  types: z.string().max(500).optional(),
  /** Only events with this text in their type, story or data. */
  text: z.string().max(200).optional(),
  limit: z.coerce.number().int().min(1).max(1_000).default(200),
})

/** An event with its change as a sentence, as in `Moment`. Untrusted. */
export type ToldEvent = StoredEvent & { readonly what: string }

const toldEventSchema = typed<ToldEvent>(anyEvent.extend({ what: z.string() }))

/** Events, newest first; `next` is the `before` of the next page, null at the end. */
export const eventListSchema = z.object({ events: z.array(toldEventSchema), next: z.int().nullable() })

export type EventList = z.infer<typeof eventListSchema>
