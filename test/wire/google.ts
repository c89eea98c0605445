import type { Json } from '../../src/domain/json.ts'
import { type Dialect, pieces, totals, type WireContext, type WireTurn } from './turn.ts'

/**
 * POST /v1beta/models/<model>:streamGenerateContent?alt=sse. Arguments are objects in this format,
 * so they cannot be cut.
 */
export const google: Dialect = {
  name: 'google',
  path: /:streamGenerateContent$/,
  frames: (turn, at) => ({ body: body(turn, at), end: end(turn, at) }),
  errorFrame: (message) => data({ error: { code: 503, message, status: 'UNAVAILABLE' } }),
  errorBody: ({ status, kind, message }) => ({
    error: { code: status, message, status: errorStatus[kind] ?? 'INTERNAL' },
  }),
}

const errorStatus: Record<string, string> = {
  auth: 'UNAUTHENTICATED',
  unknown_model: 'NOT_FOUND',
  no_access: 'PERMISSION_DENIED',
  bad_request: 'INVALID_ARGUMENT',
  context_overflow: 'INVALID_ARGUMENT',
  rate_limited: 'RESOURCE_EXHAUSTED',
  overloaded: 'UNAVAILABLE',
}

function data(event: Json): string {
  return `data: ${JSON.stringify(event)}\r\n\r\n`
}

function candidate(at: WireContext, parts: readonly Json[], more: { finishReason?: string } = {}) {
  const candidates = [{ content: { parts, role: 'model' }, index: 0, ...more }]
  return { candidates, modelVersion: at.model, responseId: `response-${at.number}` }
}

function* body(turn: WireTurn, at: WireContext): Iterable<string> {
  if (turn.reasoning) yield data(candidate(at, [{ text: turn.reasoning, thought: true }]))
  for (const text of pieces(turn.text ?? '')) yield data(candidate(at, [{ text }]))
  const calls = (turn.calls ?? []).map(({ tool, input, id }, index) => ({
    functionCall: { name: tool, args: input, ...(id !== undefined && { id }) },
    ...(index === 0 && turn.reasoning && { thoughtSignature: `signature-${at.number}` }),
  }))
  if (calls.length > 0) yield data(candidate(at, calls))
}

function end(turn: WireTurn, at: WireContext): string[] {
  const stopped = { length: 'MAX_TOKENS', refused: 'SAFETY' } as const
  const finishReason = turn.rawStop ?? (turn.stop ? stopped[turn.stop] : 'STOP')
  const { input, output, read } = totals(turn)
  const usageMetadata = {
    promptTokenCount: input,
    candidatesTokenCount: output,
    totalTokenCount: input + output,
    cachedContentTokenCount: read,
  }
  return [data({ ...candidate(at, [{ text: '' }], { finishReason }), ...(turn.usage && { usageMetadata }) })]
}
