import { z } from 'zod'
import { eventSchema } from '../events.ts'
import { idSchema } from './work.ts'

/** Query of GET /api/log. */
export const logEntriesQuerySchema = z.object({
  id: idSchema,
  /** Only one conversation, or those whose names begin so. */
  lane: z.string().max(500).optional(),
  /** The `next` of the answer before. */
  after: z.coerce.number().int().min(0).default(0),
})

/** The words or actions of an agent at an event. Never trusted. */
export const speechSchema = z.object({
  /** One line each, with what belongs below it. */
  lines: z.array(z.object({ text: z.string(), notes: z.array(z.string()).readonly() })).readonly(),
  /** Everything, in parts with a name each. */
  whole: z.array(z.object({ name: z.string(), text: z.string() })).readonly(),
})

export type Speech = z.infer<typeof speechSchema>

/** GET /api/log: events of a Run in their order, with the words of its agents. */
export const logEntriesSchema = z.object({
  entries: z
    .array(
      z.object({
        event: eventSchema,
        spoken: speechSchema.nullable(),
        /**
         * True if the event belongs to the requested work; other events of its Run only lead up to
         * it.
         */
        meant: z.boolean(),
      }),
    )
    .readonly(),
  /** The `after` of the next request; null at the end. */
  next: z.int().nullable(),
})

export type LogEntries = z.infer<typeof logEntriesSchema>
