import type { ApiError } from '../../src/api/api-error.ts'
import { currentSession, forgetSession } from './session.ts'

/** The server refused, or could not be reached (`status` 0). */
export class RequestFailed extends Error {
  readonly status: number
  readonly code: string
  readonly todo: string

  constructor(status: number, { code, message, todo }: ApiError) {
    super(message)
    this.name = 'RequestFailed'
    this.status = status
    this.code = code
    this.todo = todo
  }
}

export function get<Answer>(path: string, signal?: AbortSignal): Promise<Answer> {
  return request(path, { ...(signal && { signal }) })
}

export function post<Answer>(
  path: string,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  return request(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
}

/** A path of the API, every part encoded. */
export function apiPath(...parts: readonly string[]): string {
  return `/api/${parts.map(encodeURIComponent).join('/')}`
}

/** What to show of anything that was thrown. */
export function problemOf(error: unknown): { readonly message: string; readonly todo: string } {
  if (error instanceof RequestFailed) return { message: error.message, todo: error.todo }
  return { message: error instanceof Error ? error.message : String(error), todo: 'Load the page again.' }
}

/** An answer that was not refused, to be read. A session that is over is forgotten. */
export async function open(path: string, init: RequestInit): Promise<Response> {
  const session = currentSession()
  const headers = { ...init.headers, ...(session && { authorization: `Bearer ${session.session}` }) }
  const response = await reach(path, { ...init, headers })
  if (response.ok) return response
  const failed = new RequestFailed(response.status, refusal(await response.text(), response.status))
  if (failed.code === 'not_signed_in' && session !== null && path !== '/session') forgetSession(session)
  throw failed
}

async function request<Answer>(path: string, init: RequestInit): Promise<Answer> {
  const text = await (await open(path, init)).text()
  return (text === '' ? null : JSON.parse(text)) as Answer
}

async function reach(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(path, { credentials: 'omit', ...init })
  } catch (cause) {
    if (init.signal?.aborted) throw cause
    throw new RequestFailed(0, {
      code: 'unreachable',
      message: 'Drydock cannot be reached.',
      todo: 'If it is not running, start it again: drydock serve',
    })
  }
}

function refusal(text: string, status: number): ApiError {
  try {
    const { code, message, todo } = JSON.parse(text) as Partial<ApiError>
    return { code: code ?? 'unknown', message: message ?? `The server answered ${status}.`, todo: todo ?? '' }
  } catch {
    return { code: 'unknown', message: `The server answered ${status}.`, todo: 'Load the page again.' }
  }
}
