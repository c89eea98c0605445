import { createHmac, randomBytes } from 'node:crypto'
import type { Context } from 'hono'
import { getCookie, setCookie } from 'hono/cookie'
import type { FreshToken, OpenedSession } from '../../../api/session.ts'
import { type HubToken, hashOf, isExpired } from '../../../app/commands/hub/hub-tokens.ts'
import { rightsOf } from '../../../domain/hub/role.ts'
import { limits } from '../../../domain/limits.ts'
import type { Hub } from './hub.ts'
import { isSame } from './is-same.ts'

/** A token or person that was admitted, with the latest end of the session. */
export type Entering = Pick<HubToken, 'id' | 'name' | 'role' | 'expiresAt'>

/** Opens a session in two halves: sets a cookie, and returns the half that the page keeps. */
export type OpenHubSession = (c: Context, entering: Entering) => Promise<OpenedSession>

/** The session of a request. */
export interface HubSession {
  readonly token: HubToken
  isFresh(given: string): boolean
  /** Null for a key of another session. */
  freshToken(key: string): FreshToken | null
  /** The session's token as it is stored now; null when the session is over. */
  look(): Promise<HubToken | null>
  end(c: Context): Promise<void>
}

export interface HubSessions {
  readonly open: OpenHubSession
  /** Finds a session by its two halves; null if there is none. */
  find(c: Context, page: string): Promise<HubSession | null>
}

/** The browser sessions of tokens and people. */
export function createHubSessions(
  { rows, now }: Hub,
  { isSecure, admits }: { readonly isSecure: boolean; readonly admits: (token: HubToken) => boolean },
): HubSessions {
  // With this prefix a browser accepts the cookie only from this host.
  const cookie = isSecure ? '__Host-drydock-hub' : 'drydock-hub'
  const options = { path: '/', httpOnly: true, sameSite: 'Strict', secure: isSecure } as const
  return {
    async open(c, { id, name, role, expiresAt }) {
      const [secret, page] = [randomBytes(32).toString('base64url'), randomBytes(32).toString('base64url')]
      const longest = new Date(now().getTime() + limits.dashboard.sessionMs).toISOString()
      const expires_at = expiresAt !== null && expiresAt < longest ? expiresAt : longest
      await rows.insertHubSession({ hash: hashOf(secret), pageHash: hashOf(page), token: id, expiresAt: expires_at })
      setCookie(c, cookie, secret, { ...options, expires: new Date(expires_at) })
      return { session: page, key: keyOf(secret), expires_at, actor: { name, role, may: rightsOf[role] } }
    },
    async find(c, page) {
      const secret = getCookie(c, cookie) ?? ''
      if (secret === '') return null
      const hash = hashOf(secret)
      const look = async () => {
        const session = await rows.hubSession(hash)
        if (session === null || !isSame(session.pageHash, hashOf(page)) || isExpired(session, now())) return null
        return isExpired(session.of, now()) || !admits(session.of) ? null : session.of
      }
      const token = await look()
      if (token === null) return null
      return {
        token,
        look,
        isFresh(given) {
          const [until = ''] = given.split('.')
          return isSame(given, freshToken(secret, until)) && Number(until) > now().getTime()
        },
        freshToken(key) {
          if (!isSame(key, keyOf(secret))) return null
          const until = now().getTime() + limits.dashboard.tokenMs
          return { token: freshToken(secret, `${until}`), expires_at: new Date(until).toISOString() }
        },
        async end(leaving) {
          await rows.deleteHubSession(hash)
          setCookie(leaving, cookie, '', { ...options, maxAge: 0 })
        },
      }
    },
  }
}

function keyOf(secret: string): string {
  return sign(secret, ['key'])
}

function freshToken(secret: string, until: string): string {
  return `${until}.${sign(secret, ['token', until])}`
}

function sign(secret: string, parts: readonly string[]): string {
  return createHmac('sha256', secret).update(JSON.stringify(parts)).digest('base64url')
}
