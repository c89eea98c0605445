import { type Json, type JsonObject, parsedJson } from '../../../domain/json.ts'
import type { ProviderKind } from '../../../domain/providers.ts'
import { objectIn, objectsIn, textIn } from './json-parts.ts'

/**
 * Converts a part of an answer to the events that the SDK reads without loss: arguments of calls
 * get the type of the format, and a reply that came whole is split into events.
 */
export function asStreamed(part: JsonObject, kind: ProviderKind): readonly JsonObject[] {
  return byKind[kind](part)
}

const byKind: Readonly<Record<ProviderKind, (part: JsonObject) => readonly JsonObject[]>> = {
  'openai-compatible': (part) => [chatChunk(part)],
  openai: (part) => (part.object === 'response' ? responseEvents(part) : [responseEvent(part)]),
  anthropic: (part) => (part.type === 'message' ? messageEvents(part) : [messageEvent(part)]),
  google: (part) => [googleChunk(part)],
  // Ollama's lines have their own reader.
  ollama: (part) => [part],
}

function chatChunk({ error: _, ...chunk }: JsonObject): JsonObject {
  const { choices } = chunk
  if (!Array.isArray(choices)) return chunk
  return {
    ...chunk,
    choices: objectsIn(choices).map(({ message, ...choice }) => {
      const delta = choice.delta ?? message
      return { ...choice, ...(delta !== undefined && { delta: chatDelta(objectIn(delta)) }) }
    }),
  }
}

function chatDelta(delta: JsonObject): JsonObject {
  const { tool_calls: calls } = delta
  if (calls === undefined || calls === null) return delta
  const list = Array.isArray(calls) ? calls : [calls]
  return {
    ...delta,
    tool_calls: objectsIn(list).map((call, index) => {
      const called = objectIn(call.function)
      const args = called.arguments
      return { index, ...call, function: { ...called, ...(args !== undefined && { arguments: asText(args) }) } }
    }),
  }
}

function responseEvent(event: JsonObject): JsonObject {
  const { item, arguments: args, delta, type } = event
  return {
    ...event,
    ...(item !== undefined && { item: responseItem(objectIn(item)) }),
    ...(args !== undefined && { arguments: asText(args) }),
    ...(type === 'response.function_call_arguments.delta' && { delta: asText(delta) }),
  }
}

function responseItem(item: JsonObject): JsonObject {
  return item.type === 'function_call' ? { ...item, arguments: asText(item.arguments) } : item
}

function responseEvents(response: JsonObject): readonly JsonObject[] {
  const items = objectsIn(response.output).flatMap((given, output_index) => {
    const item = responseItem(given)
    const texts = objectsIn(item.type === 'message' ? item.content : []).flatMap(({ text }) => textIn(text) ?? [])
    const begun = { ...item, ...(item.type === 'message' && { content: [] }) }
    return [
      { type: 'response.output_item.added', output_index, item: begun },
      ...texts.map((delta, content_index) => {
        return { type: 'response.output_text.delta', item_id: item.id ?? '', output_index, content_index, delta }
      }),
      { type: 'response.output_item.done', output_index, item },
    ]
  })
  const isCut = response.status === 'incomplete'
  const created = { type: 'response.created', response: { ...response, output: [] } }
  return [created, ...items, { type: isCut ? 'response.incomplete' : 'response.completed', response }]
}

function messageEvent(event: JsonObject): JsonObject {
  const { delta, content_block: block } = event
  const { partial_json: partial } = objectIn(delta)
  const { type, input } = objectIn(block)
  return {
    ...event,
    ...(partial !== undefined && { delta: { ...objectIn(delta), partial_json: asText(partial) } }),
    ...(type === 'tool_use' && { content_block: { ...objectIn(block), input: asObject(input) } }),
  }
}

function messageEvents(message: JsonObject): readonly JsonObject[] {
  const { content, stop_reason, stop_sequence = null, usage = {} } = message
  const blocks = objectsIn(content).flatMap((block, index) => {
    const { begun, delta } = piecesOf(block)
    return [
      messageEvent({ type: 'content_block_start', index, content_block: begun }),
      ...(delta === null ? [] : [{ type: 'content_block_delta', index, delta }]),
      { type: 'content_block_stop', index },
    ]
  })
  return [
    { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
    ...blocks,
    { type: 'message_delta', delta: { stop_reason: stop_reason ?? null, stop_sequence }, usage },
    { type: 'message_stop' },
  ]
}

function piecesOf(block: JsonObject): { readonly begun: JsonObject; readonly delta: JsonObject | null } {
  if (block.type !== 'text') return { begun: block, delta: null }
  return { begun: { ...block, text: '' }, delta: { type: 'text_delta', text: block.text ?? '' } }
}

function googleChunk(chunk: JsonObject): JsonObject {
  const { candidates } = chunk
  if (!Array.isArray(candidates)) return chunk
  return {
    ...chunk,
    candidates: objectsIn(candidates).map((candidate) => {
      const content = objectIn(candidate.content)
      if (!Array.isArray(content.parts)) return candidate
      const parts = objectsIn(content.parts).map((part) => {
        const { functionCall: call } = part
        if (call === undefined) return part
        return { ...part, functionCall: { ...objectIn(call), args: asObject(objectIn(call).args) } }
      })
      return { ...candidate, content: { ...content, parts } }
    }),
  }
}

/** Converts arguments that are an object to the text that the format requires. */
function asText(args: Json | undefined): string {
  if (typeof args === 'string') return args
  return args === undefined || args === null ? '' : JSON.stringify(args)
}

/**
 * Converts arguments that are a text to the object that the format requires. A text that is not
 * JSON stays as it is.
 */
function asObject(args: Json | undefined): Json {
  return typeof args === 'string' ? (parsedJson(args) ?? args) : (args ?? {})
}
