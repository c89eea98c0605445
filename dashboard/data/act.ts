import type { FreshToken, SessionKey } from '../../src/api/session.ts'
import { tokenHeader } from '../../src/api/token-header.ts'
import { post, RequestFailed } from './client.ts'
import { currentSession } from './session.ts'

/** Of the last minutes, or too old by now: the server says so, whatever the clock of this machine. */
let token = ''

/** Asks for something that acts for the person: with a fresh token, which the page gets when it needs one. */
export async function act<Answer>(path: string, body: object): Promise<Answer> {
  const send = () => post<Answer>(path, body, { [tokenHeader]: token })
  try {
    return await send()
  } catch (error) {
    const session = currentSession()
    if (!(error instanceof RequestFailed && error.code === 'not_fresh') || session === null) throw error
    token = (await post<FreshToken>('/api/session/token', { key: session.key } satisfies SessionKey)).token
    return send()
  }
}
