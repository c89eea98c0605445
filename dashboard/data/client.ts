import type { ApiError } from '../../src/api/api-error.ts'

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

export function post<Answer>(path: string, body: object): Promise<Answer> {
  return request(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
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

async function request<Answer>(path: string, init: RequestInit): Promise<Answer> {
  const response = await reach(path, init)
  const text = await response.text()
  if (!response.ok) throw new RequestFailed(response.status, refusal(text, response.status))
  return (text === '' ? null : JSON.parse(text)) as Answer
}

async function reach(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(path, { credentials: 'same-origin', ...init })
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
