import type { OpenSession } from '../../src/api/session.ts'
import { post } from './client.ts'

/** Exchanges the token of a printed link for a cookie, and takes it out of the address and the history. */
export async function openSession(): Promise<void> {
  const token = /^#\/?token=(.+)$/.exec(window.location.hash)?.[1]
  if (token === undefined) return
  window.history.replaceState(null, '', `${window.location.pathname}#/`)
  await post('/session', { token: decodeURIComponent(token) } satisfies OpenSession)
}
