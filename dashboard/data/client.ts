import { RequestFailed, reach } from './reach.ts'
import { currentSession, forgetSession } from './session.ts'

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

/** A path of the API with every part encoded. */
export function apiPath(...parts: readonly string[]): string {
  return `/api/${parts.map(encodeURIComponent).join('/')}`
}

/** The message for anything that was thrown. */
export function problemOf(error: unknown): { readonly message: string; readonly todo: string } {
  if (error instanceof RequestFailed) return { message: error.message, todo: error.todo }
  return { message: error instanceof Error ? error.message : String(error), todo: 'Load the page again.' }
}

/** Forgets a session that has ended. */
async function request<Answer>(path: string, init: RequestInit): Promise<Answer> {
  const session = currentSession()
  try {
    const text = await (await reach(path, init, session?.session ?? null)).text()
    return (text === '' ? null : JSON.parse(text)) as Answer
  } catch (error) {
    const isOver = error instanceof RequestFailed && error.code === 'not_signed_in'
    if (isOver && session !== null && path !== '/session') forgetSession(session)
    throw error
  }
}
