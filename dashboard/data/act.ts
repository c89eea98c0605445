import type { FreshToken, SessionKey, TokenHeader } from '../../src/api/session.ts'
import { post } from './client.ts'
import { currentSession } from './session.ts'

/**
 * Asks for something that acts for the person, each time with a new token: people act seldom
 * enough.
 */
export async function act<Answer>(path: string, body: object): Promise<Answer> {
  const key = currentSession()?.key ?? ''
  const { token } = await post<FreshToken>('/api/session/token', { key } satisfies SessionKey)
  return post(path, body, { 'Drydock-Token': token } satisfies Readonly<Record<TokenHeader, string>>)
}
