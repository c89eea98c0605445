import type { Refusal, Trouble } from './format.ts'

/** Agents retry after 429, and Codex after most other statuses, but none of them after 400. */
const shapes: Readonly<Record<Trouble['kind'], readonly [status: number, type: string, code: string | null]>> = {
  stop: [400, 'insufficient_quota', 'insufficient_quota'],
  unavailable: [503, 'server_error', 'service_unavailable'],
  crowded: [429, 'rate_limit_error', 'rate_limit_exceeded'],
  not_found: [404, 'invalid_request_error', 'unknown_url'],
  bad_request: [400, 'invalid_request_error', null],
  too_large: [413, 'invalid_request_error', 'request_too_large'],
  bad_gateway: [502, 'server_error', null],
  timeout: [504, 'server_error', null],
}

/** OpenAI's error format, which both of its APIs use. */
export function openaiError({ kind, message }: Trouble): Refusal {
  const [status, type, code] = shapes[kind]
  return { status, body: { error: { message, type, param: null, code } } }
}
