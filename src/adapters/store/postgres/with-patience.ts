import { setTimeout as delay } from 'node:timers/promises'
import { backoffMs } from '../../../domain/backoff.ts'
import { limits } from '../../../domain/limits.ts'
import { isPassing, isSessionEnded } from './postgres-error.ts'

interface Patience {
  /** Tells errors of the server from others. */
  readonly isOfServer?: (error: unknown) => boolean
  /** Whether to wait for a server that has been away for too long. */
  readonly goesOn?: (error: unknown) => boolean
}

/**
 * Does the work again while the server is away, or has undone it, until the server has been away
 * for too long. The work says when it has reached the server: a server that answers and undoes the
 * work again and again is given up, too.
 */
export async function withPatience<T>(
  work: (reached: () => void) => Promise<T>,
  { isOfServer = () => true, goesOn = () => false }: Patience = {},
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
      if (!isOfServer(error) || !isPassing(error) || undone >= most) throw error
      if (performance.now() > end && !goesOn(error)) throw error
    }
    await delay(backoffMs(limits.database, tries, Math.random()))
  }
}

/** Whether a server has ever answered this process. */
export interface Reach {
  isReached: boolean
}

/**
 * The same for the first questions on a connection, which says when it is there. A server that has
 * never answered is an error at once: its address may be wrong.
 */
export async function onceReached<T>(reach: Reach, work: () => Promise<T>): Promise<T> {
  return withPatience(work, { isOfServer: (error) => reach.isReached || isSessionEnded(error) })
}
