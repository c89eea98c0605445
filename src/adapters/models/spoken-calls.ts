import type { Json, JsonObject } from '../../domain/json.ts'
import type { ToolCall } from '../../domain/lane/message.ts'
import { providerName } from '../../domain/mcp/provider-name.ts'
import { callsInText } from '../../domain/reply/calls-in-text.ts'
import type { ModelReply } from '../../ports/model.ts'
import type { Expectations } from './reading.ts'

type CompleteReply = Exclude<ModelReply, { stop: 'error' }>

/**
 * Turns a reply whose whole text consists of calls into a reply with these calls. Its reasoning
 * stays with them, since some providers refuse calls without it.
 */
export function withSpokenCalls(reply: CompleteReply, { tools, toolNamed, newId }: Expectations): CompleteReply {
  if (reply.stop !== 'end' || reply.calls.length > 0) return reply
  const meant = callsInText(reply.text, tools)
  if (meant === null) return reply
  const calls = meant.map(({ tool, input }, index): ToolCall => ({ id: newId(index), tool: toolNamed(tool), input }))
  const raw = reply.raw && { ...reply.raw, content: contentWith(calls, reply.raw.content) }
  return { ...reply, stop: 'calls', text: '', calls, raw }
}

/** `content` holds messages of the SDK; the first one is the reply. */
function contentWith(calls: readonly ToolCall[], content: Json): Json {
  const [reply, ...others] = content as unknown as readonly { readonly content: readonly JsonObject[] }[]
  const parts = (reply?.content ?? []).filter(({ type }) => type !== 'text')
  const made = calls.map(({ id, tool, input }) => ({
    type: 'tool-call',
    toolCallId: id,
    toolName: providerName(tool),
    input,
  }))
  return [{ ...reply, content: [...parts, ...made] }, ...others] as unknown as Json
}
