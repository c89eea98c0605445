import type { Json } from '../../src/domain/json.ts'
import { argumentsOf, type Dialect, pieces, totals, type WireContext, type WireTurn } from './turn.ts'

/**
 * POST /v1/chat/completions with `stream: true`, in the format of OpenAI and of servers that copy
 * it.
 */
export const openaiChat: Dialect = {
  name: 'openai-compatible',
  path: /\/chat\/completions$/,
  frames: (turn, at) => ({ body: body(turn, at), end: end(turn, at) }),
  errorFrame: (message) => data({ error: { message, type: 'server_error', param: null, code: null } }),
  errorBody: ({ kind, message }) => ({
    error: { message, type: 'invalid_request_error', param: null, code: errorCodes[kind] ?? null },
  }),
}

const errorCodes: Record<string, string> = {
  auth: 'invalid_api_key',
  unknown_model: 'model_not_found',
  context_overflow: 'context_length_exceeded',
  rate_limited: 'rate_limit_exceeded',
}

function data(event: Json): string {
  return `data: ${JSON.stringify(event)}\n\n`
}

function chunk({ model, number }: WireContext, choice: { delta: Json; finish_reason?: string }, usage?: Json): string {
  const head = { id: `chatcmpl-${number}`, object: 'chat.completion.chunk', created: 1_700_000_000, model }
  const choices = [{ index: 0, logprobs: null, finish_reason: null, ...choice }]
  return data({ ...head, choices, ...(usage === undefined ? {} : { usage }) })
}

function* body(turn: WireTurn, at: WireContext): Iterable<string> {
  yield chunk(at, { delta: { role: 'assistant', content: '' } })
  for (const piece of pieces(turn.reasoning ?? '')) yield chunk(at, { delta: { reasoning_content: piece } })
  for (const content of pieces(turn.text ?? '')) yield chunk(at, { delta: { content } })
  for (const [index, call] of (turn.calls ?? []).entries()) {
    const id = call.id ?? `call_${at.number}_${index}`
    const start = { index, id, type: 'function', function: { name: call.tool, arguments: '' } }
    yield chunk(at, { delta: { tool_calls: [start] } })
    for (const piece of pieces(argumentsOf(call))) {
      yield chunk(at, { delta: { tool_calls: [{ index, function: { arguments: piece } }] } })
    }
  }
}

function end(turn: WireTurn, at: WireContext): string[] {
  const stopped = { length: 'length', refused: 'content_filter' } as const
  const finish_reason = turn.rawStop ?? (turn.stop ? stopped[turn.stop] : turn.calls?.length ? 'tool_calls' : 'stop')
  const last = chunk(at, { delta: {}, finish_reason })
  return [last, ...(at.wantsUsage && turn.usage ? [usageChunk(turn, at)] : []), 'data: [DONE]\n\n']
}

function usageChunk(turn: WireTurn, { model, number }: WireContext): string {
  const { input, output, read } = totals(turn)
  return data({
    id: `chatcmpl-${number}`,
    object: 'chat.completion.chunk',
    created: 1_700_000_000,
    model,
    choices: [],
    usage: {
      prompt_tokens: input,
      completion_tokens: output,
      total_tokens: input + output,
      prompt_tokens_details: { cached_tokens: read },
    },
  })
}
