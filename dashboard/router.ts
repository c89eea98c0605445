import { useSyncExternalStore } from 'react'

/** Where the app is, as its address says it: `#/runs/<run>/stories/<story>/diff`. */
export interface Route {
  /** The parts of the path, decoded. */
  readonly path: readonly string[]
}

export function parseRoute(hash: string): Route {
  const parts = hash.replace(/^#\/?/, '').split('/').filter(Boolean)
  return { path: parts.map(decoded) }
}

/** The address of a path, every part encoded: ids come from models. */
export function href(...path: readonly string[]): string {
  return `#/${path.map(encodeURIComponent).join('/')}`
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
