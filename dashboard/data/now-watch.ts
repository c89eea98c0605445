import type { NowChanges } from '../../src/api/now.ts'
import { type LanesNow, nameOf, noLanes, withChanges } from './now-told.ts'

interface Watched {
  known: LanesNow
  readonly takers: Set<(now: LanesNow) => void>
}

const watched = new Map<string, Watched>()
const listeners = new Set<() => void>()

/** What parts of this page show at this moment; nothing while nobody looks. */
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

/** Shows a Run or a story until what is returned is called. */
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

/** The stream of all tabs tells of these Runs and stories no more, or again of all others. */
export function heardLeftOut(names: readonly string[]): void {
  for (const [name, one] of watched) {
    const isLeftOut = names.includes(name)
    if (one.known.isLeftOut === isLeftOut) continue
    one.known = { ...noLanes, isLeftOut }
    for (const take of one.takers) take(one.known)
  }
}

/** The stream of all tabs has told of something. */
export function heardNow(changes: NowChanges): void {
  const one = watched.get(nameOf(changes))
  if (one === undefined) return
  one.known = withChanges(one.known, changes)
  for (const take of one.takers) take(one.known)
}
