import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { FreshToken, OpenedSession } from '../../api/session.ts'
import { limits } from '../../domain/limits.ts'

/**
 * Who may use the dashboard. Nothing of it is stored: what a browser holds is signed, and says
 * until when it is good.
 */
export interface Sessions {
  /**
   * What a browser gets for the token of a link; null unless the token is good and was never used.
   */
  exchange(token: string): Promise<OpenedSession | null>
  /** Whether it is a session of this state that is not over. */
  isOpen(session: string): Promise<boolean>
  /** What a request that acts has with it; null for a key that is not the session's. */
  freshToken(session: string, key: string): FreshToken | null
  isFresh(session: string, token: string): boolean
  /** Ends all sessions and links of the installation. */
  end(): Promise<void>
  /** Aborted when this server next ends them. */
  ending(): AbortSignal
}

export interface Signing {
  /** Of the installation. */
  readonly secret: string
  /** Names this start of the server: links of an earlier one are worth nothing, sessions stay. */
  readonly server: string
  /** Folder of the state: a session is of one alone. */
  readonly state: string
  readonly generation: () => Promise<string>
  readonly renewGeneration: () => Promise<void>
  readonly now: () => Date
}

/**
 * A token that one server exchanges once. Whoever can read the installation's secret can make one.
 */
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

/** Takes as long for a wrong first character as for a wrong last one. */
function isSame(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(a), digest(b))
}
