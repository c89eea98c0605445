import { setTimeout as delay } from 'node:timers/promises'

/** Lets a loop sleep until something rings, which is remembered while nobody sleeps. */
export function createBell() {
  let rung = false
  let wake: (() => void) | null = null
  return {
    ring() {
      rung = true
      wake?.()
    },
    async next(maxMs: number) {
      const timer = new AbortController()
      if (!rung) {
        const ringing = new Promise<void>((resolve) => {
          wake = resolve
        })
        const timeout = delay(maxMs, undefined, { signal: timer.signal }).catch(() => {})
        await Promise.race([ringing, timeout])
      }
      timer.abort()
      rung = false
      wake = null
    },
  }
}
