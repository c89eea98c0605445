import type { Json } from '../../src/domain/json.ts'
import { type Dialect, pieces, totals, type WireContext, type WireTurn } from './turn.ts'

/**
 * POST /api/chat with `stream: true`: a line of JSON for each piece. Arguments are objects in this
 * format, so they cannot be cut.
 */
export const ollama: Dialect = {
  name: 'ollama',
  path: /\/api\/chat$/,
  contentType: 'application/x-ndjson',
  frames: (turn, at) => ({ body: body(turn, at), end: end(turn, at) }),
  errorFrame: (message) => `${JSON.stringify({ error: message })}\n`,
  errorBody: ({ kind, message }) => ({ error: words[kind] ?? message }),
}

const words: Record<string, string> = {
  unknown_model: "model 'no-such-model' not found",
  context_overflow: 'the input length exceeds the context length',
}

/** The answer of `/api/show` for a model with all required abilities. */
export const shownModel = {
  parameters: 'temperature                    0.6\nstop                           "<|im_end|>"',
  details: { family: 'qwen3', parameter_size: '8.2B', quantization_level: 'Q4_K_M' },
  model_info: { 'general.architecture': 'qwen3', 'qwen3.context_length': 40_960 },
  capabilities: ['completion', 'tools', 'thinking'],
}

function line(
  { model }: WireContext,
  message: { readonly [key: string]: Json },
  more: object = { done: false },
): string {
  const said = {
    model,
    created_at: '2026-11-01T12:00:00.000000Z',
    message: { role: 'assistant', content: '', ...message },
  }
  return `${JSON.stringify({ ...said, ...more })}\n`
}

function* body(turn: WireTurn, at: WireContext): Iterable<string> {
  for (const thinking of pieces(turn.reasoning ?? '')) yield line(at, { thinking })
  for (const content of pieces(turn.text ?? '')) yield line(at, { content })
  const calls = (turn.calls ?? []).map(({ tool, input, id }, index) => ({
    id: id ?? `call_${at.number}_${index}`,
    function: { index, name: tool, arguments: input },
  }))
  for (const call of calls) yield line(at, { tool_calls: [call] })
}

function end(turn: WireTurn, at: WireContext): string[] {
  const { input, output } = totals(turn)
  const counts = turn.usage ? { prompt_eval_count: input, eval_count: output } : {}
  const done_reason = turn.rawStop ?? (turn.stop === 'length' ? 'length' : 'stop')
  return [line(at, {}, { done: true, done_reason, total_duration: 174_560_334, load_duration: 101_397_084, ...counts })]
}
