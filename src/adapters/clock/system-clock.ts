import { setTimeout } from 'node:timers/promises'
import type { Clock } from '../../ports/clock.ts'

/** Clocks that differ by fewer milliseconds than this count as equal. */
const tolerance = 1_000

/**
 * The time of this machine, until another time is agreed on. From then on the clock advances from
 * the agreed time, and changes of the machine's clock do not affect it.
 */
export function createSystemClock(): Clock {
  let agreed: number | null = null
  const now = () => new Date(agreed === null ? Date.now() : agreed + performance.now())
  return {
    now,
    async sleep(ms, { signal, keepsAlive = true } = {}) {
      signal?.throwIfAborted()
      try {
        await setTimeout(ms, undefined, { ref: keepsAlive, ...(signal && { signal }) })
      } catch (error) {
        signal?.throwIfAborted()
        throw error
      }
    },
    random: () => Math.random(),
    agree(time) {
      if (Math.abs(time.getTime() - now().getTime()) > tolerance) agreed = time.getTime() - performance.now()
    },
  }
}
