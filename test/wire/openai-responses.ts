import type { Json, JsonObject } from '../../src/domain/json.ts'
import { argumentsOf, type Dialect, pieces, totals, type WireContext, type WireTurn } from './turn.ts'

/** POST /v1/responses with `stream: true`. */
export const openaiResponses: Dialect = {
  name: 'openai',
  path: /\/responses$/,
  frames: (turn, at) => ({ body: body(turn, at), end: end(turn, at) }),
  errorFrame: (message) => frame({ type: 'error', code: 'server_error', message, param: null, sequence_number: 9 }),
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

function frame(event: { readonly type: string; readonly [key: string]: Json }): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
}

function response({ model, number }: WireContext, more: JsonObject): JsonObject {
  return { id: `resp_${number}`, object: 'response', created_at: 1_700_000_000, model, output: [], ...more }
}

function* body(turn: WireTurn, at: WireContext): Iterable<string> {
  yield frame({ type: 'response.created', response: response(at, { status: 'in_progress' }) })
  yield frame({ type: 'response.in_progress', response: response(at, { status: 'in_progress' }) })
  let index = 0
  if (turn.reasoning) yield* reasoning(turn.reasoning, index++, at)
  if (turn.text) yield* message(turn.text, index++, at)
  for (const call of turn.calls ?? []) {
    const id = `fc_${at.number}_${index}`
    const item = {
      type: 'function_call',
      id,
      call_id: call.id ?? `call_${at.number}_${index}`,
      name: call.tool,
      ...(call.namespace !== undefined && { namespace: call.namespace }),
    }
    const whole = argumentsOf(call)
    yield added(index, { ...item, arguments: '', status: 'in_progress' })
    for (const delta of pieces(whole)) {
      yield frame({ type: 'response.function_call_arguments.delta', item_id: id, output_index: index, delta })
    }
    yield frame({ type: 'response.function_call_arguments.done', item_id: id, output_index: index, arguments: whole })
    yield done(index++, { ...item, arguments: whole, status: 'completed' })
  }
}

function* reasoning(text: string, index: number, at: WireContext): Iterable<string> {
  const item = { type: 'reasoning', id: `rs_${at.number}` }
  const place = { item_id: item.id, output_index: index, summary_index: 0 }
  yield added(index, { ...item, summary: [], encrypted_content: `sealed-begin-${at.number}` })
  yield frame({ type: 'response.reasoning_summary_part.added', ...place, part: { type: 'summary_text', text: '' } })
  yield frame({ type: 'response.reasoning_summary_text.delta', ...place, delta: text })
  yield frame({ type: 'response.reasoning_summary_text.done', ...place, text })
  yield frame({ type: 'response.reasoning_summary_part.done', ...place, part: { type: 'summary_text', text } })
  yield done(index, { ...item, summary: [{ type: 'summary_text', text }], encrypted_content: `sealed-${at.number}` })
}

function* message(text: string, index: number, at: WireContext): Iterable<string> {
  const item = { type: 'message', id: `msg_${at.number}`, role: 'assistant' }
  const place = { item_id: item.id, output_index: index, content_index: 0 }
  const part = { type: 'output_text', annotations: [] }
  yield added(index, { ...item, content: [], status: 'in_progress' })
  yield frame({ type: 'response.content_part.added', ...place, part: { ...part, text: '' } })
  for (const delta of pieces(text)) yield frame({ type: 'response.output_text.delta', ...place, delta })
  yield frame({ type: 'response.output_text.done', ...place, text })
  yield done(index, { ...item, content: [{ ...part, text }], status: 'completed' })
}

function added(output_index: number, item: Json): string {
  return frame({ type: 'response.output_item.added', output_index, item })
}

function done(output_index: number, item: Json): string {
  return frame({ type: 'response.output_item.done', output_index, item })
}

function end(turn: WireTurn, at: WireContext): string[] {
  const { input, output, read } = totals(turn)
  const usage = turn.usage
    ? {
        input_tokens: input,
        input_tokens_details: { cached_tokens: read },
        output_tokens: output,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: input + output,
      }
    : null
  if (!turn.stop) return [frame({ type: 'response.completed', response: response(at, { status: 'completed', usage }) })]
  const reason = turn.rawStop ?? { length: 'max_output_tokens', refused: 'content_filter' }[turn.stop]
  const more = { status: 'incomplete', incomplete_details: { reason }, usage }
  return [frame({ type: 'response.incomplete', response: response(at, more) })]
}
