import type { OpenedSession, OpenSession } from '../../src/api/session.ts'
import { get, post } from './client.ts'
import { currentSession, forgetSession, keepSession } from './session.ts'

/**
 * Exchanges the token of a printed link for a session, and takes it out of the address and the
 * history before anything else. `to` is the page that another repository's page has asked for.
 */
export async function signIn(): Promise<void> {
  const [, token, page = ''] = /^#\/?token=([^&]+)(?:&to=(.+))?$/.exec(window.location.hash) ?? []
  if (token === undefined) return
  window.history.replaceState(null, '', `${window.location.pathname}#/${decodeURIComponent(page)}`)
  keepSession(await post<OpenedSession>('/session', { token: decodeURIComponent(token) } satisfies OpenSession))
}

/** How people sign in to a team's hub: with tokens, and with a provider if it has one. */
export interface HubDoor {
  /** Its host; null for none. */
  readonly provider: string | null
}

/** Null for the dashboard of one user, which is opened by links. */
export async function hubDoor(): Promise<HubDoor | null> {
  const told = await get<{ readonly hub?: boolean; readonly provider?: string }>('/server').catch(() => null)
  return told?.hub === true ? { provider: told.provider ?? null } : null
}

/** Exchanges a personal token for a session; the token itself is not kept. */
export async function signInWith(token: string): Promise<void> {
  keepSession(await post<OpenedSession>('/session', { token } satisfies OpenSession))
}

/**
 * Ends the sessions of all browsers, or on a hub this one. The server does it, so that no copy of
 * one is good for anything afterwards.
 */
export async function signOut(): Promise<void> {
  const session = currentSession()
  await post('/api/session/end', {})
  if (session !== null) forgetSession(session)
}
