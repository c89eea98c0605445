import { setTimeout as delay } from 'node:timers/promises'
import { backoffMs } from '../../../domain/backoff.ts'
import { limits } from '../../../domain/limits.ts'
import { isPassing } from './postgres-error.ts'

/**
 * Does the work again while the server is away, or has undone it, until the server has been away
 * for too long. The work says when it has reached the server: a server that answers and undoes the
 * work again and again is given up, too. `isOfServer` tells errors of the server from others.
 */
export async function withPatience<T>(
  work: (reached: () => void) => Promise<T>,
  isOfServer: (error: unknown) => boolean = () => true,
): Promise<T> {
  const { patienceMs, tries: most } = limits.database
  let end = performance.now() + patienceMs
  let undone = 0
  for (let tries = 1; ; tries += 1) {
    try {
      return await work(() => {
        end = performance.now() + patienceMs
        undone += 1
      })
    } catch (error) {
      if (!isOfServer(error) || !isPassing(error) || performance.now() > end || undone >= most) throw error
    }
    await delay(backoffMs(limits.database, tries, Math.random()))
  }
}
