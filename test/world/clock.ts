import type { Clock } from '../../src/ports/clock.ts'

/** A clock that stands still until a test advances it. */
export interface MemoryClock extends Clock {
  /** Advances the clock. Sleeps end in the order of their times, and each sees its own time. */
  advance(ms: number): Promise<void>
  /** The time at which the next sleep ends; null if nobody sleeps. */
  next(): Date | null
}

interface Sleeper {
  readonly at: number
  wake(): void
}

/** `random` returns the same numbers each time. */
export function createMemoryClock(start = new Date('2031-01-01T00:00:00.000Z')): MemoryClock {
  let now = start.getTime()
  let drawn = 0
  const sleepers = new Set<Sleeper>()
  const nextSleeper = () => [...sleepers].reduce<Sleeper | null>((a, b) => (a === null || b.at < a.at ? b : a), null)
  return {
    now: () => new Date(now),
    agree(time) {
      now = time.getTime()
    },
    random() {
      drawn += 1
      // The fractional parts of multiples of the golden ratio: all different, and evenly spread.
      return (drawn * 0.6180339887498949) % 1
    },
    async sleep(ms, { signal } = {}) {
      signal?.throwIfAborted()
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const sleeper = { at: now + Math.max(0, ms), wake: resolve }
      const abort = () => reject(signal?.reason)
      signal?.addEventListener('abort', abort, { once: true })
      sleepers.add(sleeper)
      if (sleeper.at <= now) resolve()
      try {
        await promise
      } finally {
        sleepers.delete(sleeper)
        signal?.removeEventListener('abort', abort)
      }
    },
    async advance(ms) {
      const end = now + ms
      for (let next = nextSleeper(); next !== null && next.at <= end; next = nextSleeper()) {
        now = Math.max(now, next.at)
        sleepers.delete(next)
        next.wake()
        // A sleeper may sleep again within the same interval.
        await new Promise(setImmediate)
      }
      now = end
    },
    next: () => (sleepers.size === 0 ? null : new Date(nextSleeper()?.at ?? now)),
  }
}
