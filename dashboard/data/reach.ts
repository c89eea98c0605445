import type { ApiError } from '../../src/api/api-error.ts'

/** The server refused, or was unreachable (`status` 0). */
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

/** A successful answer with an unread body. Works in a page and in a worker. */
export async function reach(path: string, init: RequestInit, session: string | null): Promise<Response> {
  const headers = { ...init.headers, ...(session !== null && { authorization: `Bearer ${session}` }) }
  const response = await answerOf(path, { ...init, headers })
  if (response.ok) return response
  throw new RequestFailed(response.status, refusal(await response.text(), response.status))
}

async function answerOf(path: string, init: RequestInit): Promise<Response> {
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
