import { limits } from '../../domain/limits.ts'
import type { Access } from './access.ts'
import { bearerOf } from './bearer.ts'
import type { Sessions } from './sessions.ts'

/**
 * The access control of one user's server: only from this machine, with links that `drydock serve`
 * prints.
 */
export function createLinkAccess(sessions: Sessions, port: () => number): Access {
  const { streams: all } = limits.dashboard
  return {
    originAt: (host) => ([`127.0.0.1:${port()}`, `localhost:${port()}`].includes(host) ? `http://${host}` : null),
    isProgram: () => false,
    async askerOf(c) {
      const session = bearerOf(c)
      if (!(await sessions.isOpen(session))) return null
      return {
        name: null,
        role: 'admin',
        isFresh: (token) => sessions.isFresh(session, token),
        freshToken: (key) => sessions.freshToken(session, key),
        isOpen: () => sessions.isOpen(session),
        ending: sessions.ending,
        end: () => sessions.end(),
      }
    },
    programOf: async () => null,
    signIn: (_, token) => sessions.exchange(token),
    provider: null,
    lookMs: limits.dashboard.heartbeatMs,
    streams: { all, each: all },
    todo: 'Get a new link: drydock serve',
    headers: {},
    refused: () => {},
  }
}
