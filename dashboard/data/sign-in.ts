import type { OpenedSession, OpenSession } from '../../src/api/session.ts'
import { get, post } from './client.ts'
import { currentSession, forgetSession, keepSession } from './session.ts'

/**
 * Exchanges the token of a printed link for a session, and removes it from the address and the
 * history before anything else. `to` is the page that another repository's page has linked to.
 */
export async function signIn(): Promise<void> {
  const [, token, page = ''] = /^#\/?token=([^&]+)(?:&to=(.+))?$/.exec(window.location.hash) ?? []
  if (token === undefined) return
  window.history.replaceState(null, '', `${window.location.pathname}#/${decodeURIComponent(page)}`)
  keepSession(await post<OpenedSession>('/session', { token: decodeURIComponent(token) } satisfies OpenSession))
}

/** The ways to sign in to a team's hub: tokens, and a provider if it has one. */
export interface HubDoor {
  /** The provider's host; null if there is none. */
  readonly provider: string | null
}

/** Null for the dashboard of one user, which is opened through links. */
export async function hubDoor(): Promise<HubDoor | null> {
  const told = await get<{ readonly hub?: boolean; readonly provider?: string }>('/server').catch(() => null)
  return told?.hub === true ? { provider: told.provider ?? null } : null
}

/** Exchanges a personal token for a session; the token itself is not stored. */
export async function signInWith(token: string): Promise<void> {
  keepSession(await post<OpenedSession>('/session', { token } satisfies OpenSession))
}

/**
 * Ends the sessions of all browsers, or on a hub only this one. The server ends them, so that every
 * copy becomes invalid.
 */
export async function signOut(): Promise<void> {
  const session = currentSession()
  await post('/api/session/end', {})
  if (session !== null) forgetSession(session)
}
