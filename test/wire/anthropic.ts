import type { Json } from '../../src/domain/json.ts'
import { argumentsOf, type Dialect, pieces, totals, type WireContext, type WireTurn } from './turn.ts'

/** POST /v1/messages with `stream: true`. */
export const anthropic: Dialect = {
  name: 'anthropic',
  path: /\/messages$/,
  frames: (turn, at) => ({ body: body(turn, at), end: end(turn) }),
  errorFrame: (message) => frame({ type: 'error', error: { type: 'overloaded_error', message } }),
  errorBody: ({ kind, message }) => ({ type: 'error', error: { type: errorTypes[kind] ?? 'api_error', message } }),
}

const errorTypes: Record<string, string> = {
  auth: 'authentication_error',
  unknown_model: 'not_found_error',
  no_access: 'permission_error',
  bad_request: 'invalid_request_error',
  context_overflow: 'invalid_request_error',
  rate_limited: 'rate_limit_error',
  overloaded: 'overloaded_error',
}

function frame(event: { readonly type: string; readonly [key: string]: Json }): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
}

function* body(turn: WireTurn, { model, number }: WireContext): Iterable<string> {
  const { input, read, write } = totals(turn)
  yield frame({
    type: 'message_start',
    message: {
      id: `msg_${number}`,
      type: 'message',
      role: 'assistant',
      model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: {
        input_tokens: input - read - write,
        cache_creation_input_tokens: write,
        cache_read_input_tokens: read,
        output_tokens: 1,
      },
    },
  })
  yield frame({ type: 'ping' })
  let index = 0
  if (turn.reasoning) {
    yield* block(index++, { type: 'thinking', thinking: '', signature: '' }, [
      { type: 'thinking_delta', thinking: turn.reasoning },
      { type: 'signature_delta', signature: `signature-${number}` },
    ])
  }
  if (turn.text) yield* block(index++, { type: 'text', text: '' }, deltas('text_delta', 'text', turn.text))
  for (const call of turn.calls ?? []) {
    const id = call.id ?? `toolu_${number}_${index}`
    const json = deltas('input_json_delta', 'partial_json', argumentsOf(call))
    yield* block(index++, { type: 'tool_use', id, name: call.tool, input: {} }, json)
  }
}

function* block(index: number, content_block: Json, parts: Iterable<Json>): Iterable<string> {
  yield frame({ type: 'content_block_start', index, content_block })
  for (const delta of parts) yield frame({ type: 'content_block_delta', index, delta })
  yield frame({ type: 'content_block_stop', index })
}

function* deltas(type: string, key: string, text: string): Iterable<Json> {
  for (const piece of pieces(text)) yield { type, [key]: piece }
}

function end(turn: WireTurn): string[] {
  const stopped = { length: 'max_tokens', refused: 'refusal' } as const
  const stop_reason = turn.rawStop ?? (turn.stop ? stopped[turn.stop] : turn.calls?.length ? 'tool_use' : 'end_turn')
  return [
    frame({
      type: 'message_delta',
      delta: { stop_reason, stop_sequence: null },
      usage: { output_tokens: totals(turn).output },
    }),
    frame({ type: 'message_stop' }),
  ]
}
