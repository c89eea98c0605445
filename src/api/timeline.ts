import { z } from 'zod'

/** ISO 8601. */
const time = z.string()

/** A text that may have been cut: `chars` is its whole length. */
const cutTextSchema = z.object({ text: z.string(), truncated: z.boolean(), chars: z.int() })

export type CutText = z.infer<typeof cutTextSchema>

const place = {
  /** Place in the timeline, for `before`. */
  cursor: z.string(),
  story: z.string().nullable(),
  /** Key of the conversation, as `editor/parser/CODING`. */
  lane: z.string(),
  turn: z.int(),
  /** `architect`, `editor` or `scout`. */
  agent: z.string(),
  started_at: time,
}

/** One request to a model. */
export const modelCallSchema = z.object({
  type: z.literal('model_call'),
  ...place,
  model: z.string(),
  /** `tool-calls`, `stop`, `length`, `error` and the like. */
  stop: z.string(),
  /** What failed, with `stop: error`. */
  error: z.string().nullable(),
  duration_ms: z.int(),
  /** null when it failed before it used any. */
  usage: z.object({ input: z.int(), output: z.int(), cache_read: z.int(), cache_write: z.int() }).nullable(),
  /** null when the price is not known. */
  cost_usd: z.number().nullable(),
  /** What was new to the model with this request: prompt, results of tools, messages. */
  input: cutTextSchema,
  /** What it said, and the calls that it wants made. null when it failed. */
  output: cutTextSchema.nullable(),
})

export type ModelCall = z.infer<typeof modelCallSchema>

/** One call of a tool. */
export const toolCallSchema = z.object({
  type: z.literal('tool_call'),
  ...place,
  tool: z.string(),
  /** Only a foreign agent says that it made this call. */
  observed: z.boolean(),
  /** null while it runs. */
  ok: z.boolean().nullable(),
  duration_ms: z.int().nullable(),
  /** JSON. */
  input: cutTextSchema,
  /** null while it runs. */
  output: cutTextSchema.nullable(),
})

export type ToolCall = z.infer<typeof toolCallSchema>

export const timelineEntrySchema = z.discriminatedUnion('type', [modelCallSchema, toolCallSchema])

export type TimelineEntry = z.infer<typeof timelineEntrySchema>

/** Query of `…/timeline`. */
export const timelineQuerySchema = z.object({
  /** A cursor: only what is older. */
  before: z.string().max(100).optional(),
  /** Only calls of models, of tools, or those that failed. */
  kind: z.enum(['model', 'tool', 'failed']).optional(),
  /** Only those that name it: in their lane, model or tool, or where their input begins. */
  text: z.string().max(200).optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
})

/** Newest first; `next` is the `before` of the next page, null at the end. */
export const timelineSchema = z.object({ entries: z.array(timelineEntrySchema), next: z.string().nullable() })

export type Timeline = z.infer<typeof timelineSchema>

/** GET …/timeline/:cursor: one entry with input and output up to a much larger size. */
export const timelineEntryAnswerSchema = z.object({ entry: timelineEntrySchema })
