import { z } from 'zod'

/** An ISO 8601 time. */
const time = z.string()

/** A text that may have been cut: `chars` is its full length. */
const cutTextSchema = z.object({ text: z.string(), truncated: z.boolean(), chars: z.int() })

export type CutText = z.infer<typeof cutTextSchema>

const place = {
  /** The position in the timeline, for `before`. */
  cursor: z.string(),
  story: z.string().nullable(),
  /** Key of the conversation, such as `editor/parser/CODING`. */
  lane: z.string(),
  turn: z.int(),
  /** `architect`, `editor` or `scout`. */
  agent: z.string(),
  started_at: time,
}

/** One call of a model. */
export const modelCallSchema = z.object({
  type: z.literal('model_call'),
  ...place,
  model: z.string(),
  /** The reason why the reply ended, such as `tool-calls`, `stop`, `length` or `error`. */
  stop: z.string(),
  /** The error, for `stop: error`. */
  error: z.string().nullable(),
  duration_ms: z.int(),
  /** Null when the call failed before any usage. */
  usage: z.object({ input: z.int(), output: z.int(), cache_read: z.int(), cache_write: z.int() }).nullable(),
  /** Null when the price is unknown. */
  cost_usd: z.number().nullable(),
  /** The new part of the request: prompt, results of tools, messages. */
  input: cutTextSchema,
  /** The reply with its tool calls; null after a failure. */
  output: cutTextSchema.nullable(),
})

export type ModelCall = z.infer<typeof modelCallSchema>

/** One call of a tool. */
export const toolCallSchema = z.object({
  type: z.literal('tool_call'),
  ...place,
  tool: z.string(),
  /** True if only a foreign agent reported this call. */
  observed: z.boolean(),
  /** Null while it is running. */
  ok: z.boolean().nullable(),
  duration_ms: z.int().nullable(),
  /** The input as JSON. */
  input: cutTextSchema,
  /** Null while it is running. */
  output: cutTextSchema.nullable(),
})

export type ToolCall = z.infer<typeof toolCallSchema>

export const timelineEntrySchema = z.discriminatedUnion('type', [modelCallSchema, toolCallSchema])

export type TimelineEntry = z.infer<typeof timelineEntrySchema>

/** Query of `…/timeline`. */
export const timelineQuerySchema = z.object({
  /** A cursor; only older entries are returned. */
  before: z.string().max(100).optional(),
  /** Only model calls, only tool calls, or only failed ones. */
  kind: z.enum(['model', 'tool', 'failed']).optional(),
  /** Only entries with this text in their lane, model or tool, or at the start of their input. */
  text: z.string().max(200).optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
})

/** Entries, newest first; `next` is the `before` of the next page, null at the end. */
export const timelineSchema = z.object({ entries: z.array(timelineEntrySchema), next: z.string().nullable() })

export type Timeline = z.infer<typeof timelineSchema>

/** GET …/timeline/:cursor: one entry with input and output up to a much larger size. */
export const timelineEntryAnswerSchema = z.object({ entry: timelineEntrySchema })
