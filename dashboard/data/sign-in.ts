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

/** Whether a team's hub serves the page; then people sign in with tokens, and not by links. */
export async function isHub(): Promise<boolean> {
  const told = await get<{ readonly hub?: boolean }>('/server').catch(() => null)
  return told?.hub === true
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
