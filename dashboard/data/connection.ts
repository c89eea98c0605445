import { useEffect, useRef, useSyncExternalStore } from 'react'
import type { Connection } from './follow.ts'

let now: Connection = 'connecting'
const listeners = new Set<() => void>()

/** Sets the connection of this page. */
export function keepConnection(next: Connection): void {
  now = next
  for (const listener of listeners) listener()
}

/** The connection of this page to its server. */
export function useConnection(): Connection {
  return useSyncExternalStore(subscribe, () => now)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Forgets a failure from before the connection came back: its message would stay for ever. */
export function useNoOldFailure({ isError, reset }: { readonly isError: boolean; readonly reset: () => void }): void {
  const connection = useConnection()
  const before = useRef(connection)
  useEffect(() => {
    if (connection === 'live' && before.current !== 'live' && isError) reset()
    before.current = connection
  }, [connection, isError, reset])
}
