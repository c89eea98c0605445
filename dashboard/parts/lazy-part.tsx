import { type ReactElement, useEffect, useState } from 'react'

const tries = 20
const pauseMs = 1_500

type Part<Props> = (props: Props) => ReactElement | null

interface LazyPart<Props> extends Part<Props> {
  /** Fetches the code before it is needed. */
  readonly soon: () => void
}

/**
 * A component whose code is loaded when it is first shown, with `meanwhile` in its place. React's
 * own `lazy` shows its placeholder for at least 300 ms, even if the code is loaded, and keeps a
 * failure for ever. Here a failure is retried, so that it does not outlast an unreachable server.
 * If the server answers but the code is gone, Drydock has been updated, and the page is reloaded.
 */
export function lazyPart<Props extends object>(
  load: () => Promise<Part<Props>>,
  meanwhile: Part<Props> = () => null,
): LazyPart<Props> {
  let known: Part<Props> | null = null
  let loading: Promise<Part<Props>> | null = null
  const fetched = () => {
    loading ??= persistently(load).then(
      (part) => {
        known = part
        return part
      },
      (cause) => {
        loading = null
        throw cause
      },
    )
    return loading
  }
  function Lazy(props: Props) {
    const [Shown, setShown] = useState(() => known)
    const [failure, setFailure] = useState<{ readonly cause: unknown } | null>(null)
    useEffect(() => {
      if (Shown !== null) return
      fetched().then(
        (part) => setShown(() => part),
        (cause: unknown) => setFailure({ cause }),
      )
    }, [Shown])
    if (failure !== null) throw failure.cause
    return Shown === null ? meanwhile(props) : <Shown {...props} />
  }
  return Object.assign(Lazy, { soon: () => void fetched().catch(() => {}) })
}

async function persistently<Loaded>(load: () => Promise<Loaded>): Promise<Loaded> {
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

/**
 * True on the first call. A page that was just loaded and still lacks its code is broken, not
 * outdated, so it is not reloaded again.
 */
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
