import { useSyncExternalStore } from 'react'

/**
 * The current page in the address: `#/runs/<run>/activity`. Options of a page, such as filters,
 * follow a question mark: `?kind=gate&text=red`.
 */
export interface Route {
  /** The decoded parts of the path. */
  readonly path: readonly string[]
}

export function parseRoute(hash: string): Route {
  const [path = ''] = hash.replace(/^#\/?/, '').split('?', 1)
  return { path: path.split('/').filter(Boolean).map(decoded) }
}

/** An option in the address; null if it is missing. */
export function useAsked(name: string): string | null {
  return useSyncExternalStore(subscribe, () => askedOf(window.location.hash).get(name))
}

/** The question mark and all options after it, for a link that keeps them. */
export function useAskedText(): string {
  return useSyncExternalStore(subscribe, () => /\?.*$/.exec(window.location.hash)?.[0] ?? '')
}

/** Changes options in the address, as a new history entry or in place of the current one. */
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

/** The address of a path with every part encoded, since ids come from models. */
export function href(...path: readonly string[]): string {
  return `#/${path.map(encodeURIComponent).join('/')}`
}

/** Like `href`, with options. */
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
