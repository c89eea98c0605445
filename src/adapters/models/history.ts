import { createHash } from 'node:crypto'
import { isObject, type Json } from '../../domain/json.ts'
import type { Message, ToolCall } from '../../domain/lane/message.ts'
import { providerName } from '../../domain/mcp/provider-name.ts'
import type { PromptMessage } from './language-model.ts'

type Assistant = Extract<Message, { role: 'assistant' }>
type AssistantPart = Extract<PromptMessage, { role: 'assistant' }>['content'][number]
type ResultPart = Extract<PromptMessage, { role: 'tool' }>['content'][number]
type ToolMessage = Extract<Message, { role: 'tool' }>

/**
 * The SDK's major version. `raw` has the SDK's own format, so the version is stored with the
 * provider's name.
 */
const SDK_MAJOR = 7

/** The value of `raw.provider` for a provider's replies. */
export function rawOrigin(provider: string): string {
  return `${provider}@${SDK_MAJOR}`
}

/**
 * Converts the conversation for the providers' libraries. Replies of the same provider go back
 * unchanged; others are rebuilt from their text and calls, without the reasoning. Equal messages
 * always give an equal result. A lone surrogate, which cutting a text can leave, is replaced,
 * because providers refuse the whole request for it. Throws if a call has no result, which every
 * provider refuses.
 */
export function toPrompt(messages: readonly Message[], provider: string): PromptMessage[] {
  const open = unanswered(messages)
  if (open.length > 0) throw new Error(`calls without a result: ${open.join(', ')}`)
  const wireIds = new Map<string, string>()
  return messages.flatMap((message): PromptMessage[] => {
    switch (message.role) {
      case 'user':
        return [{ role: 'user', content: [{ type: 'text', text: message.text.toWellFormed() }] }]
      case 'tool':
        return message.results.length > 0 ? [{ role: 'tool', content: resultParts(message, wireIds) }] : []
      case 'assistant':
        return assistantMessages(message, provider, wireIds)
      default:
        throw new Error(`unknown message ${message satisfies never}`)
    }
  })
}

function unanswered(messages: readonly Message[]): readonly string[] {
  const open = new Set<string>()
  for (const message of messages) {
    if (message.role === 'assistant') for (const { id } of message.calls) open.add(id)
    if (message.role === 'tool') for (const { callId } of message.results) open.delete(callId)
    if (message.role === 'user' && open.size > 0) break
  }
  return [...open]
}

function assistantMessages(message: Assistant, provider: string, wireIds: Map<string, string>): PromptMessage[] {
  const own = message.raw?.provider === rawOrigin(provider)
  for (const { id } of message.calls) wireIds.set(id, own ? id : portableId(id))
  if (own) return message.raw?.content as unknown as PromptMessage[]
  const content: AssistantPart[] = message.calls.map((call) => ({
    type: 'tool-call',
    toolCallId: wireIds.get(call.id) ?? call.id,
    toolName: providerName(call.tool),
    input: inputObject(call),
  }))
  if (message.text.trim()) content.unshift({ type: 'text', text: message.text.toWellFormed() })
  return content.length > 0 ? [{ role: 'assistant', content }] : []
}

function resultParts({ results }: ToolMessage, wireIds: ReadonlyMap<string, string>): ResultPart[] {
  return results.map(({ callId, tool, output, ok }) => ({
    type: 'tool-result',
    toolCallId: wireIds.get(callId) ?? callId,
    toolName: providerName(tool),
    output: { type: ok ? 'text' : 'error-text', value: output.toWellFormed() },
  }))
}

/**
 * Every provider accepts these characters and this length; ids of other providers may have others.
 */
function portableId(id: string): string {
  if (/^[A-Za-z0-9_-]{1,64}$/.test(id)) return id
  return `call_${createHash('sha256').update(id).digest('hex').slice(0, 32)}`
}

/** Providers refuse a call in the history whose input is not an object. */
function inputObject({ input, invalid }: ToolCall): Json {
  return isObject(input) && invalid === undefined ? input : {}
}
