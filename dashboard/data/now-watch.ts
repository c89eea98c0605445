import type { NowChanges } from '../../src/api/now.ts'
import { type LanesNow, nameOf, noLanes, withChanges } from './now-told.ts'

interface WatchState {
  known: LanesNow
  readonly takers: Set<(now: LanesNow) => void>
}

const watched = new Map<string, WatchState>()
const listeners = new Set<() => void>()

/** The names that this page currently shows; none while it is hidden. */
export function watchedNow(): readonly string[] {
  return document.hidden ? [] : [...watched.keys()]
}

/** Called when `watchedNow` may have changed. */
export function onWatched(changed: () => void): () => void {
  listeners.add(changed)
  document.addEventListener('visibilitychange', changed)
  return () => {
    listeners.delete(changed)
    document.removeEventListener('visibilitychange', changed)
  }
}

/** Watches a Run or a story until the returned function is called. */
export function watchNow(name: string, take: (now: LanesNow) => void): () => void {
  const one = watched.get(name) ?? { known: noLanes, takers: new Set() }
  watched.set(name, one)
  one.takers.add(take)
  if (one.known !== noLanes) take(one.known)
  for (const changed of listeners) changed()
  return () => {
    one.takers.delete(take)
    if (one.takers.size > 0) return
    watched.delete(name)
    for (const changed of listeners) changed()
  }
}

/** Handles the names for which the shared stream sends nothing. */
export function heardLeftOut(names: readonly string[]): void {
  for (const [name, one] of watched) {
    const isLeftOut = names.includes(name)
    if (one.known.isLeftOut === isLeftOut) continue
    one.known = { ...noLanes, isLeftOut }
    for (const take of one.takers) take(one.known)
  }
}

/** Handles changes from the shared stream. */
export function heardNow(changes: NowChanges): void {
  const one = watched.get(nameOf(changes))
  if (one === undefined) return
  one.known = withChanges(one.known, changes)
  for (const take of one.takers) take(one.known)
}
