import { type ComponentType, lazy } from 'react'

const tries = 20
const pauseMs = 1_500

/**
 * A part whose code is fetched when it is first shown. React keeps a failure for good, so that one
 * that came while the server was away would outlast it: it is tried again instead, and what is
 * shown meanwhile stays. Where the server answers and the code is gone, Drydock is another version
 * now, and the page is loaded again.
 */
export function lazyPart<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  return lazy(async () => ({ default: await persistently(load) }))
}

async function persistently<Part>(load: () => Promise<Part>): Promise<Part> {
  for (let failed = 1; ; failed += 1) {
    try {
      return await load()
    } catch (cause) {
      if (failed === tries) throw cause
      if (await isServed()) {
        if (!mayReload()) throw cause
        window.location.reload()
      }
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
  }
}

async function isServed(): Promise<boolean> {
  return fetch('/server', { cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  )
}

const place = 'drydock.reloaded'
const againMs = 60_000

/** Once: a page that was loaded just now and lacks its code is broken, not old. */
function mayReload(): boolean {
  try {
    const last = Number(sessionStorage.getItem(place) ?? 0)
    if (Date.now() - last < againMs) return false
    sessionStorage.setItem(place, String(Date.now()))
    return true
  } catch {
    return false
  }
}
