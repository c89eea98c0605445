import { isIP } from 'node:net'
import { getConnInfo } from '@hono/node-server/conninfo'
import type { Context } from 'hono'
import { type HubToken, hashOf, isExpired, isTokenShaped } from '../../../app/commands/hub/hub-tokens.ts'
import { isOf, type PeopleDoor } from '../../../app/commands/hub/sign-in-person.ts'
import { DrydockError } from '../../../domain/drydock-error.ts'
import { limits } from '../../../domain/limits.ts'
import type { Access, Asker } from '../access.ts'
import { bearerOf } from '../bearer.ts'
import { createFailedSignIns } from './failed-sign-ins.ts'
import type { Hub } from './hub.ts'
import type { HubNames } from './hub-names.ts'
import { createHubSessions, type Entering } from './hub-sessions.ts'
import { isSame } from './is-same.ts'
import { createProviderAccess } from './provider-access.ts'

/**
 * The access control of a team's server. A browser signs in with a personal token or with the
 * OpenID provider. It gets a session in two halves: a cookie that scripts cannot read, and a text
 * that the page keeps and sends in a header. Neither is valid without the other. A program sends
 * its token in the header. Every request is checked against the stored rows, so that a revoked
 * token or person loses access at once.
 */
export function createHubAccess(hub: Hub, names: HubNames, people: PeopleDoor | null): Access {
  const { rows, audit, now } = hub
  const { isSecure, isBehindProxy } = names
  // People of a provider that is no longer configured lose access.
  const admits = (token: HubToken) => token.subject === null || (people !== null && isOf(token, people))
  const sessions = createHubSessions(hub, { isSecure, admits })
  const failed = createFailedSignIns(now)
  const markUsed = createUseMarks(hub)
  const never = new AbortController().signal

  /** Uses the last entry, which the proxy adds; a client can write the others. */
  function addressOf(c: Context): string {
    const forwarded = isBehindProxy ? c.req.header('x-forwarded-for')?.split(',').at(-1)?.trim() : undefined
    const address = forwarded ?? getConnInfo(c).remote.address ?? ''
    return isIP(address) === 0 ? 'unknown' : address
  }

  /** Refuses addresses with too many failures. Throws DrydockError `too_many_failures`. */
  function refuseLimited(c: Context): void {
    const from = addressOf(c)
    if (!failed.isLimited(from)) return
    audit({ what: 'sign_in_limited', from })
    throw new DrydockError('too_many_failures', 'Too many sign-ins from this address have failed.', {
      todo: 'Wait a minute, then try again with a token that is good.',
    })
  }

  function countFailed(c: Context, why?: string): void {
    const from = addressOf(c)
    failed.add(from)
    audit({ what: 'sign_in_failed', from, ...(why !== undefined && { why }) })
  }

  /**
   * The token of a secret; null for an unknown secret, which counts as a failure. Throws
   * DrydockError `too_many_failures`.
   */
  async function tokenFor(c: Context, secret: string): Promise<HubToken | null> {
    refuseLimited(c)
    const hash = hashOf(secret)
    const token = isTokenShaped(secret) ? await rows.hubToken(hash) : null
    if (token !== null && isSame(token.hash, hash) && !isExpired(token, now())) {
      markUsed(token)
      return token
    }
    countFailed(c)
    return null
  }

  function programOf({ hash, name, role }: HubToken): Asker {
    return {
      name,
      role,
      isFresh: () => true,
      freshToken: () => null,
      ending: () => never,
      async isOpen() {
        const token = await rows.hubToken(hash)
        return token !== null && !isExpired(token, now())
      },
      // A program has no session; only revoking its token ends its access.
      end: async () => {},
    }
  }

  async function browserOf(c: Context): Promise<Asker | null> {
    const session = await sessions.find(c, bearerOf(c))
    if (session === null) return null
    const { token, isFresh, freshToken } = session
    markUsed(token)
    const { name, role } = token
    const ending = new AbortController()
    return {
      name,
      role,
      isFresh,
      freshToken,
      ending: () => ending.signal,
      isOpen: async () => (await session.look()) !== null,
      async end(leaving) {
        await session.end(leaving)
        audit({ what: 'sign_out', name, from: addressOf(leaving) })
      },
    }
  }

  async function programWith(c: Context, secret: string): Promise<Asker | null> {
    const token = await tokenFor(c, secret)
    return token === null ? null : programOf(token)
  }

  async function openSession(c: Context, entering: Entering) {
    const opened = await sessions.open(c, entering)
    audit({ what: 'sign_in', name: entering.name, from: addressOf(c) })
    return opened
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
      if (token.role === 'worker' || token.role === 'monitor') {
        throw new DrydockError('not_allowed', `A token with the role ${token.role} opens no dashboard.`, {
          todo: 'Ask an admin of the hub for a token of your own.',
        })
      }
      return openSession(c, token)
    },
    provider: people && createProviderAccess({ hub, names, people, openSession, refuseLimited, failed: countFailed }),
    lookMs: limits.hub.lookMs,
    streams: { all: limits.hub.streams, each: limits.hub.streamsEach },
    todo: 'Sign in with your personal token. An admin of the hub can give you one.',
    headers: isSecure ? { 'Strict-Transport-Security': 'max-age=31536000' } : {},
    refused(c, { code, name, route, needs }) {
      // The failure of a bad token has already been recorded.
      if ((code === 'not_signed_in' || code === 'too_many_failures') && isTokenShaped(bearerOf(c))) return
      audit({ what: 'refused', code, name, route, needs, from: addressOf(c) })
    },
  }
}

/** Records when tokens were last used, at intervals, without delaying a request. */
function createUseMarks({ rows, now }: Hub): (token: HubToken) => void {
  const marked = new Map<number, number>()
  return ({ id }) => {
    const at = now().getTime()
    if (at - (marked.get(id) ?? 0) < limits.hub.usedMs) return
    marked.set(id, at)
    rows.markHubTokenUsed(id).catch(() => marked.delete(id))
  }
}
