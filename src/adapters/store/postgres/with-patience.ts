import { setTimeout as delay } from 'node:timers/promises'
import { backoffMs } from '../../../domain/backoff.ts'
import { limits } from '../../../domain/limits.ts'
import { isPassing, isSessionEnded } from './postgres-error.ts'

interface Patience {
  /** Tells the server's errors from all others. */
  readonly isOfServer?: (error: unknown) => boolean
  /** Returns true to wait for a server that has been unreachable for too long. */
  readonly goesOn?: (error: unknown) => boolean
}

/**
 * Repeats the work while the server is unreachable, or has undone it, until the server has been
 * unreachable for too long. The work reports when it has reached the server: a server that answers
 * but keeps undoing the work is given up, too.
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

/** Remembers if a server has ever answered this process. */
export interface Reach {
  isReached: boolean
}

/**
 * Like `withPatience` for the first queries on a connection. A server that has never answered is an
 * error at once, since its address may be wrong.
 */
export async function onceReached<T>(reach: Reach, work: () => Promise<T>): Promise<T> {
  return withPatience(work, { isOfServer: (error) => reach.isReached || isSessionEnded(error) })
}
