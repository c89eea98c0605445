import { useSyncExternalStore } from 'react'

/**
 * Where the app is, as its address says it: `#/runs/<run>/activity`. What a page is asked to show,
 * as the filters of a list, stands behind a question mark: `?kind=gate&text=red`.
 */
export interface Route {
  /** The parts of the path, decoded. */
  readonly path: readonly string[]
}

export function parseRoute(hash: string): Route {
  const [path = ''] = hash.replace(/^#\/?/, '').split('?', 1)
  return { path: path.split('/').filter(Boolean).map(decoded) }
}

/** A part of the address behind the question mark; null where it is not said. */
export function useAsked(name: string): string | null {
  return useSyncExternalStore(subscribe, () => askedOf(window.location.hash).get(name))
}

/** All that stands behind the question mark, with it, for a link that keeps it. */
export function useAskedText(): string {
  return useSyncExternalStore(subscribe, () => /\?.*$/.exec(window.location.hash)?.[0] ?? '')
}

/**
 * Says something else behind the question mark. As a page of its own in the history, or in place of
 * the one that is shown.
 */
export function ask(changes: Readonly<Record<string, string | null>>, how: 'push' | 'replace' = 'push'): void {
  const { hash } = window.location
  const asked = askedOf(hash)
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === '') asked.delete(name)
    else asked.set(name, value)
  }
  const [path = ''] = hash.split('?', 1)
  const next = asked.size === 0 ? path || '#/' : `${path || '#/'}?${asked}`
  if (next === hash) return
  if (how === 'push') {
    window.location.hash = next
    return
  }
  window.history.replaceState(window.history.state, '', next)
  window.dispatchEvent(new HashChangeEvent('hashchange'))
}

function askedOf(hash: string): URLSearchParams {
  const at = hash.indexOf('?')
  return new URLSearchParams(at === -1 ? '' : hash.slice(at + 1))
}

/** The address of a path, every part encoded: ids come from models. */
export function href(...path: readonly string[]): string {
  return `#/${path.map(encodeURIComponent).join('/')}`
}

/** The same with what stands behind the question mark. */
export function hrefWith(asked: Readonly<Record<string, string>>, ...path: readonly string[]): string {
  return `${href(...path)}?${new URLSearchParams(asked)}`
}

export function navigate(...path: readonly string[]): void {
  window.location.hash = href(...path)
}

export function useRoute(): Route {
  const hash = useSyncExternalStore(subscribe, () => window.location.hash)
  return parseRoute(hash)
}

function subscribe(changed: () => void): () => void {
  window.addEventListener('hashchange', changed)
  return () => window.removeEventListener('hashchange', changed)
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
