import { useSyncExternalStore } from 'react'
import { duration } from '../figures-text.ts'

/** A clock that runs while a component uses it. */
function createClock(everyMs: number): () => number {
  let now = Date.now()
  const listeners = new Set<() => void>()
  let timer: ReturnType<typeof setInterval> | undefined

  function subscribe(changed: () => void): () => void {
    if (listeners.size === 0) now = Date.now()
    listeners.add(changed)
    timer ??= setInterval(() => {
      now = Date.now()
      for (const listener of listeners) listener()
    }, everyMs)
    return () => {
      listeners.delete(changed)
      if (listeners.size === 0) {
        clearInterval(timer)
        timer = undefined
      }
    }
  }

  return () => useSyncExternalStore(subscribe, () => now)
}

/** One clock for the whole page, so that all relative times change together. */
export const useNow = createClock(5_000)

/** For activity that is still running. */
export const useSeconds = createClock(1_000)

/** The running time of an activity; `aheadMs` is how far the clock of `since` is ahead. */
export function Running({ since, aheadMs }: { readonly since: string; readonly aheadMs: number }) {
  const seconds = Math.max(0, Math.floor((useSeconds() + aheadMs - Date.parse(since)) / 1_000))
  return <span className="running">{seconds < 60 ? `${seconds} s` : duration(seconds * 1_000)}</span>
}

/** The time since a moment; the exact time on hover. */
export function Time({ at }: { readonly at: string }) {
  const ago = useNow() - Date.parse(at)
  return (
    <time dateTime={at} title={exactTime(at)}>
      {relative(ago)}
    </time>
  )
}

/** The time until a moment; the exact time on hover. */
export function Until({ at }: { readonly at: string }) {
  const ms = Date.parse(at) - useNow()
  return (
    <time dateTime={at} title={exactTime(at)}>
      {ms < 10_000 ? 'in a few seconds' : `in ${duration(ms)}`}
    </time>
  )
}

/** The duration of something so far. */
export function Age({ since, until }: { readonly since: string; readonly until?: string | null }) {
  const end = useNow()
  const ms = (until ? Date.parse(until) : end) - Date.parse(since)
  return (
    <time dateTime={since} title={`since ${exactTime(since)}`}>
      {until || ms >= 60_000 ? duration(Math.max(0, ms)) : <Running since={since} aheadMs={0} />}
    </time>
  )
}

export function exactTime(at: string): string {
  return new Date(at).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
}

function relative(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000))
  if (seconds < 10) return 'just now'
  if (seconds < 60) return `${seconds} s ago`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min ago`
  const hours = Math.floor(minutes / 60)
  if (hours < 36) return `${hours} h ago`
  return `${Math.round(hours / 24)} days ago`
}
