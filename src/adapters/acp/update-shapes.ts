import { z } from 'zod'

/**
 * The parts of `session/update` that Drydock reads. A malformed part counts as absent, and an
 * update of an unknown kind is ignored.
 */
const text = z.string().nullish().catch(null)
const content = z.looseObject({ type: z.string(), text }).catch({ type: 'unknown' })
const list = <T extends z.ZodType>(item: T) => z.array(item).nullish().catch(null)

const tool = {
  toolCallId: z.string(),
  title: text,
  kind: text,
  status: text,
  content: list(z.looseObject({ type: z.string(), content: content.optional(), path: text })),
  locations: list(z.looseObject({ path: z.string() })),
  rawInput: z.unknown().optional(),
  rawOutput: z.unknown().optional(),
}

const update = z.discriminatedUnion('sessionUpdate', [
  z.looseObject({ sessionUpdate: z.literal('agent_message_chunk'), content, messageId: text }),
  z.looseObject({ sessionUpdate: z.literal('agent_thought_chunk'), content, messageId: text }),
  z.looseObject({ sessionUpdate: z.literal('tool_call'), ...tool }),
  z.looseObject({ sessionUpdate: z.literal('tool_call_update'), ...tool }),
  z.looseObject({
    sessionUpdate: z.literal('plan'),
    entries: z.array(z.looseObject({ content: z.string(), status: z.string().catch('pending') })),
  }),
])

const notification = z.looseObject({ update })

export type SeenUpdate = z.infer<typeof update>
export type ToolUpdate = Extract<SeenUpdate, { sessionUpdate: 'tool_call' | 'tool_call_update' }>

/** Returns null for an update of a kind that nobody here reads. */
export function seenUpdate(params: unknown): SeenUpdate | null {
  const read = notification.safeParse(params)
  return read.success ? read.data.update : null
}
