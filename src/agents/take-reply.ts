import type { AgentRole, LaneData } from '../domain/lane/lane.ts'
import type { Message, ToolCall } from '../domain/lane/message.ts'
import { limits } from '../domain/limits.ts'
import { capText } from '../domain/text.ts'
import type { ModelReply } from '../ports/model.ts'
import { isTerminal } from './tools/registry.ts'

type CompleteReply = Exclude<ModelReply, { stop: 'error' }>

/**
 * The part of a reply that goes into the conversation. Calls count only if the model ended its turn
 * for them. Oversized parts are cut, and the provider's own form, which would still have them, is
 * dropped. A terminal call comes last, after all work before it.
 */
export function takeReply(
  reply: CompleteReply,
  role: AgentRole,
): {
  readonly calls: readonly ToolCall[]
  readonly messages: readonly Message[]
} {
  const calls = reply.stop === 'calls' ? terminalLast(reply.calls.map(capCall), role) : []
  const text = capText(reply.text, limits.modelTextChars)
  const asItCame =
    text === reply.text && calls.length === reply.calls.length && calls.every((call, i) => call === reply.calls[i])
  const raw = asItCame && reply.raw ? { raw: reply.raw } : {}
  const empty = text.trim() === '' && calls.length === 0
  return { calls, messages: empty ? [] : [{ role: 'assistant', text, calls, ...raw }] }
}

/** Terminal calls come after all others, in their order. */
function terminalLast(calls: readonly ToolCall[], role: AgentRole): readonly ToolCall[] {
  const isEnd = ({ tool }: ToolCall) => isTerminal(role, tool)
  return [...calls.filter((call) => !isEnd(call)), ...calls.filter(isEnd)]
}

/**
 * The size of the conversation up to a reply, as the reply reports it; null without a report. Some
 * servers report a usage without counts.
 */
export function measuredBy({ usage }: CompleteReply, messages: number): LaneData['measured'] {
  return usage !== null && usage.input > 0 ? { tokens: usage.input + usage.output, messages } : null
}

function capCall(call: ToolCall): ToolCall {
  const size = JSON.stringify(call.input).length
  if (size > limits.modelInputChars) {
    const invalid = `the arguments are too large (${size} characters, at most ${limits.modelInputChars})`
    return { ...call, tool: capName(call.tool), input: {}, invalid }
  }
  const { tool, invalid = '' } = call
  if (tool.length <= limits.toolNameChars && invalid.length <= limits.modelTextChars) return call
  return { ...call, tool: capName(tool), ...(invalid && { invalid: capText(invalid, limits.modelTextChars) }) }
}

function capName(tool: string): string {
  return tool.slice(0, limits.toolNameChars)
}
