import { useSyncExternalStore } from 'react'
import type { OpenedSession } from '../../src/api/session.ts'

/**
 * Storage belongs to scheme, host and port, so unlike a cookie it is not sent to other servers of
 * this machine. All tabs share it.
 */
const place = 'drydock.session'

let kept: OpenedSession | null = null
let hasEnded = false
const listeners = new Set<() => void>()

/** The session that the server gave this browser; null if the person must sign in. */
export function currentSession(): OpenedSession | null {
  try {
    return JSON.parse(localStorage.getItem(place) ?? 'null') as OpenedSession | null
  } catch {
    // Storage may be disabled: the session then lasts as long as the page.
    return kept
  }
}

export function keepSession(session: OpenedSession): void {
  kept = session
  hasEnded = false
  try {
    localStorage.setItem(place, JSON.stringify(session))
  } catch {
    // Storage may be disabled: the session then lasts as long as the page.
  }
  tell()
}

/** Forgets an ended session. A newer one, for example from another tab, stays. */
export function forgetSession(session: OpenedSession): void {
  if (currentSession()?.session !== session.session) return
  kept = null
  hasEnded = true
  try {
    localStorage.removeItem(place)
  } catch {
    // Storage may be disabled: the session then lasts as long as the page.
  }
  tell()
}

/** The signed-in person on a hub; null on the dashboard of one user. */
export function currentActor(): NonNullable<OpenedSession['actor']> | null {
  return currentSession()?.actor ?? null
}

/** The page's session; null if there is none, or if it has ended. */
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
