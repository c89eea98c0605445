import { setTimeout } from 'node:timers/promises'
import type { Clock } from '../../ports/clock.ts'

/** Of two clocks that differ by less, each is right: milliseconds. */
const tolerance = 1_000

/**
 * The time of this machine, until another one is agreed on. From then on it goes on from that one,
 * whatever this machine's is set to.
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
