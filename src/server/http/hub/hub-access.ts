import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { isIP } from 'node:net'
import { getConnInfo } from '@hono/node-server/conninfo'
import type { Context } from 'hono'
import { getCookie, setCookie } from 'hono/cookie'
import { type HubToken, hashOf, isExpired, isTokenShaped } from '../../../app/commands/hub/hub-tokens.ts'
import { DrydockError } from '../../../domain/drydock-error.ts'
import { limits } from '../../../domain/limits.ts'
import type { Access, Asker } from '../access.ts'
import { bearerOf } from '../bearer.ts'
import { createFailedSignIns } from './failed-sign-ins.ts'
import type { Hub } from './hub.ts'
import type { HubNames } from './hub-names.ts'

/**
 * The door of a team: a browser signs in with a personal token and gets a session in two halves, a
 * cookie that no script reads and a text that the page keeps and sends in a header. Either alone is
 * worth nothing. A program sends its token in the header. Every request is looked up in the rows,
 * so that what was revoked anywhere lets nobody in any more.
 */
export function createHubAccess(hub: Hub, names: HubNames): Access {
  const { rows, audit, now } = hub
  const { isSecure, isBehindProxy } = names
  // The prefix has the browser refuse the cookie from anybody but this host.
  const cookie = isSecure ? '__Host-drydock-hub' : 'drydock-hub'
  const failed = createFailedSignIns(now)
  const markUsed = createUseMarks(hub)
  const never = new AbortController().signal

  /** The last entry is the proxy's own; the others are whatever a client has written there. */
  function addressOf(c: Context): string {
    const forwarded = isBehindProxy ? c.req.header('x-forwarded-for')?.split(',').at(-1)?.trim() : undefined
    const address = forwarded ?? getConnInfo(c).remote.address ?? ''
    return isIP(address) === 0 ? 'unknown' : address
  }

  /** DrydockError `too_many_failures`. */
  async function tokenFor(c: Context, secret: string): Promise<HubToken | null> {
    const from = addressOf(c)
    if (failed.isLimited(from)) {
      audit({ what: 'sign_in_limited', from })
      throw new DrydockError('too_many_failures', 'Too many sign-ins from this address have failed.', {
        todo: 'Wait a minute, then try again with a token that is good.',
      })
    }
    const hash = hashOf(secret)
    const token = isTokenShaped(secret) ? await rows.hubToken(hash) : null
    if (token !== null && isSame(token.hash, hash) && !isExpired(token, now())) {
      markUsed(token)
      return token
    }
    failed.add(from)
    audit({ what: 'sign_in_failed', from })
    return null
  }

  function programOf({ hash, name, role }: HubToken): Asker {
    return {
      ...{ name, role, isFresh: () => true, freshToken: () => null, ending: () => never },
      async isOpen() {
        const token = await rows.hubToken(hash)
        return token !== null && !isExpired(token, now())
      },
      // It has no session: only revoking ends its token.
      end: async () => {},
    }
  }

  async function browserOf(c: Context): Promise<Asker | null> {
    const secret = getCookie(c, cookie) ?? ''
    const page = hashOf(bearerOf(c))
    if (secret === '') return null
    const hash = hashOf(secret)
    const find = async () => {
      const session = await rows.hubSession(hash)
      if (session === null || !isSame(session.pageHash, page) || isExpired(session, now())) return null
      return isExpired(session.of, now()) ? null : session.of
    }
    const token = await find()
    if (token === null) return null
    markUsed(token)
    const { name, role } = token
    const ending = new AbortController()
    return {
      ...{ name, role, isOpen: async () => (await find()) !== null, ending: () => ending.signal },
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
        setCookie(leaving, cookie, '', { ...cookieOptions, secure: isSecure, maxAge: 0 })
        audit({ what: 'sign_out', name, from: addressOf(leaving) })
      },
    }
  }

  async function programWith(c: Context, secret: string): Promise<Asker | null> {
    const token = await tokenFor(c, secret)
    return token === null ? null : programOf(token)
  }

  return {
    originAt: names.originAt,
    isProgram: (c) => isTokenShaped(bearerOf(c)),
    async askerOf(c) {
      return isTokenShaped(bearerOf(c)) ? programWith(c, bearerOf(c)) : browserOf(c)
    },
    programOf: async (c, token) => (isTokenShaped(token) ? programWith(c, token) : null),
    async signIn(c, given) {
      const token = await tokenFor(c, given.trim())
      if (token === null) return null
      const { id, name, role, expiresAt } = token
      if (role === 'worker') {
        throw new DrydockError('not_allowed', 'A token of a worker opens no dashboard.', {
          todo: 'Ask an admin of the hub for a token of your own.',
        })
      }
      const [secret, page] = [randomBytes(32).toString('base64url'), randomBytes(32).toString('base64url')]
      const longest = new Date(now().getTime() + limits.dashboard.sessionMs).toISOString()
      const expires_at = expiresAt !== null && expiresAt < longest ? expiresAt : longest
      await rows.insertHubSession({ hash: hashOf(secret), pageHash: hashOf(page), token: id, expiresAt: expires_at })
      setCookie(c, cookie, secret, { ...cookieOptions, secure: isSecure, expires: new Date(expires_at) })
      audit({ what: 'sign_in', name, from: addressOf(c) })
      return { session: page, key: keyOf(secret), expires_at, actor: { name, role } }
    },
    lookMs: limits.hub.lookMs,
    streams: { all: limits.hub.streams, each: limits.hub.streamsEach },
    todo: 'Sign in with your personal token. An admin of the hub can give you one.',
    headers: isSecure ? { 'Strict-Transport-Security': 'max-age=31536000' } : {},
    refused(c, { code, name, route, needs }) {
      // What a bad token came to is said already.
      if ((code === 'not_signed_in' || code === 'too_many_failures') && isTokenShaped(bearerOf(c))) return
      audit({ what: 'refused', code, name, route, needs, from: addressOf(c) })
    },
  }
}

const cookieOptions = { path: '/', httpOnly: true, sameSite: 'Strict' } as const

/** Keeps when tokens were last used, once in a while each, and makes no request wait for it. */
function createUseMarks({ rows, now }: Hub): (token: HubToken) => void {
  const marked = new Map<number, number>()
  return ({ id }) => {
    const at = now().getTime()
    if (at - (marked.get(id) ?? 0) < limits.hub.usedMs) return
    marked.set(id, at)
    rows.markHubTokenUsed(id).catch(() => marked.delete(id))
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

/** Takes as long for a wrong first character as for a wrong last one. */
function isSame(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(hashOf(a)), Buffer.from(hashOf(b)))
}
