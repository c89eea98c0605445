import { useSyncExternalStore } from 'react'
import type { OpenedSession } from '../../src/api/session.ts'

/**
 * Storage belongs to scheme, host and port: no other server of this machine gets it, as it would
 * get a cookie. All tabs share it.
 */
const place = 'drydock.session'

let kept: OpenedSession | null = null
let hasEnded = false
const listeners = new Set<() => void>()

/** What the server gave this browser; null when it has to be let in. */
export function currentSession(): OpenedSession | null {
  try {
    return JSON.parse(localStorage.getItem(place) ?? 'null') as OpenedSession | null
  } catch {
    // Storage can be switched off: the session then lasts as long as the page.
    return kept
  }
}

export function keepSession(session: OpenedSession): void {
  kept = session
  hasEnded = false
  try {
    localStorage.setItem(place, JSON.stringify(session))
  } catch {
    // See above.
  }
  tell()
}

/** Once it is over. Another that came meanwhile, as in another tab, stays. */
export function forgetSession(session: OpenedSession): void {
  if (currentSession()?.session !== session.session) return
  kept = null
  hasEnded = true
  try {
    localStorage.removeItem(place)
  } catch {
    // See above.
  }
  tell()
}

/** Who is signed in on a hub; null on the dashboard of one user. */
export function currentActor(): NonNullable<OpenedSession['actor']> | null {
  return currentSession()?.actor ?? null
}

/** The session that the page is shown with; null when there is none, or none any more. */
export function useSession(): { readonly session: string | null; readonly hasEnded: boolean } {
  const session = useSyncExternalStore(subscribe, () => currentSession()?.session ?? null)
  return { session, hasEnded }
}

function subscribe(changed: () => void): () => void {
  const stored = ({ key, newValue }: StorageEvent) => {
    if (key !== place && key !== null) return
    hasEnded = newValue === null
    changed()
  }
  listeners.add(changed)
  window.addEventListener('storage', stored)
  return () => {
    listeners.delete(changed)
    window.removeEventListener('storage', stored)
  }
}

function tell(): void {
  for (const listener of listeners) listener()
}
