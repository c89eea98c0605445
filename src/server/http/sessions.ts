import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { FreshToken, OpenedSession } from '../../api/session.ts'
import { limits } from '../../domain/limits.ts'

/**
 * The sessions of a dashboard. None is stored: the browser's copy is signed and contains its
 * expiry.
 */
export interface Sessions {
  /** Exchanges the token of a link for a session; null unless the token is valid and unused. */
  exchange(token: string): Promise<OpenedSession | null>
  /** True for a valid session of this state. */
  isOpen(session: string): Promise<boolean>
  /**
   * Returns a fresh token for a request that changes something; null for a key of another session.
   */
  freshToken(session: string, key: string): FreshToken | null
  isFresh(session: string, token: string): boolean
  /** Ends all sessions and links of the installation. */
  end(): Promise<void>
  /** Returns a signal that is aborted when this server next ends all sessions. */
  ending(): AbortSignal
}

export interface Signing {
  /** The secret of the installation. */
  readonly secret: string
  /**
   * An id that differs at each start of the server: links of an earlier start are invalid, sessions
   * stay valid.
   */
  readonly server: string
  /** The folder of the state. A session is valid for one state only. */
  readonly state: string
  readonly generation: () => Promise<string>
  readonly renewGeneration: () => Promise<void>
  readonly now: () => Date
}

/** Creates a token that one server exchanges once. Needs the installation's secret. */
export async function loginToken({ secret, server, generation }: Omit<Signing, 'now'>): Promise<string> {
  const nonce = randomBytes(16).toString('base64url')
  return `${nonce}.${sign(secret, ['login', server, await generation(), nonce])}`
}

export function createSessions({ secret, server, state, generation, renewGeneration, now }: Signing): Sessions {
  const used = new Set<string>()
  const { sessionMs, tokenMs } = limits.dashboard
  let ending = new AbortController()
  const signed = async (until: string, nonce: string) =>
    sign(secret, ['session', state, await generation(), until, nonce])
  const keyOf = (session: string) => sign(secret, ['key', session])
  const tokenOf = (session: string, until: string) => `${until}.${sign(secret, ['token', session, until])}`
  const isAhead = (until: string) => Number(until) > now().getTime()
  return {
    async exchange(token) {
      const [nonce = '', signature = ''] = token.split('.')
      if (!isSame(signature, sign(secret, ['login', server, await generation(), nonce])) || used.has(nonce)) return null
      used.add(nonce)
      const until = now().getTime() + sessionMs
      const own = randomBytes(16).toString('base64url')
      const session = `${until}.${own}.${await signed(`${until}`, own)}`
      return { session, key: keyOf(session), expires_at: new Date(until).toISOString() }
    },
    async isOpen(session) {
      const [until = '', nonce = '', signature = ''] = session.split('.')
      return isSame(signature, await signed(until, nonce)) && isAhead(until)
    },
    freshToken(session, key) {
      if (!isSame(key, keyOf(session))) return null
      const until = now().getTime() + tokenMs
      return { token: tokenOf(session, `${until}`), expires_at: new Date(until).toISOString() }
    },
    isFresh(session, token) {
      const [until = ''] = token.split('.')
      return isSame(token, tokenOf(session, until)) && isAhead(until)
    },
    async end() {
      await renewGeneration()
      ending.abort()
      ending = new AbortController()
    },
    ending: () => ending.signal,
  }
}

function sign(secret: string, parts: readonly string[]): string {
  return createHmac('sha256', secret).update(JSON.stringify(parts)).digest('base64url')
}

/** Compares in constant time, so that the duration tells nothing about the expected text. */
function isSame(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(a), digest(b))
}
