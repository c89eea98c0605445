import { z } from 'zod'
import type { Event as StoredEvent } from '../domain/event.ts'
import { typed } from './views/typed.ts'

/**
 * One entry of the event log, as `GET /api/events` sends it: an SSE message without a name whose
 * `id:` is the event's. Who comes back says the last one as `?after=` or `Last-Event-ID`, so that
 * nothing is missed and nothing comes twice. `type` decides about `data`: docs/events.md, made from
 * `EventData`.
 *
 * Three messages have a name and no id: `owner` (`ownerSchema`), at the start and whenever it
 * changes, `now` (`nowChangesSchema`) about what `?now=` names, and `ending`, when the server is
 * about to end. It then answers for up to a second more, or until all streams are left. Every 15
 * seconds a comment keeps the stream open.
 */
const anyEvent = z.object({
  id: z.int(),
  run: z.string(),
  story: z.string().nullable(),
  type: z.string(),
  data: z.record(z.string(), z.unknown()),
  /** ISO 8601. */
  at: z.string(),
  /** On a hub: who has caused it. */
  actor: z.string().optional(),
})

/** Its type is the domain's union; what is checked at run time is the frame. */
export const eventSchema = typed<StoredEvent>(anyEvent)

export type Event = z.infer<typeof eventSchema>

/** Whether a process works on this state now: without one nothing goes on. */
export const ownerSchema = z.object({ owned: z.boolean() })

export type Owner = z.infer<typeof ownerSchema>

/**
 * Query of the stream. Without `after` and `Last-Event-ID` it begins with what happens next;
 * `Last-Event-ID` wins.
 */
export const eventStreamQuerySchema = z.object({
  after: z.coerce.number().int().min(0).optional(),
  /**
   * Runs, or stories as `<run>/<story>`, whose conversations are told of as they go on. Commas
   * between; at most 20.
   */
  now: z.string().max(8_000).optional(),
})

/** Query of GET /api/runs/:run/events. */
export const eventListQuerySchema = z.object({
  /** Only events with a smaller id. */
  before: z.coerce.number().int().min(1).optional(),
  /** Only those of a story. */
  story: z.string().max(100).optional(),
  /** Only those of some types, with commas between. */
  types: z.string().max(500).optional(),
  /** Only those that name it: in their type, their story or their data. */
  text: z.string().max(200).optional(),
  limit: z.coerce.number().int().min(1).max(1_000).default(200),
})

/** What it has changed is said as a sentence, as `Moment` says it. Never trusted. */
export type ToldEvent = StoredEvent & { readonly what: string }

const toldEventSchema = typed<ToldEvent>(anyEvent.extend({ what: z.string() }))

/** Newest first; `next` is the `before` of the next page, null at the end. */
export const eventListSchema = z.object({ events: z.array(toldEventSchema), next: z.int().nullable() })

export type EventList = z.infer<typeof eventListSchema>
