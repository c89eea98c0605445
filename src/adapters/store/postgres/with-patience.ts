import { setTimeout as delay } from 'node:timers/promises'
import { backoffMs } from '../../../domain/backoff.ts'
import { limits } from '../../../domain/limits.ts'
import { isConnectionLost } from './postgres-error.ts'

/** Tries again while the server is away, as long as one is worth waiting for. */
export async function withPatience<T>(work: () => Promise<T>): Promise<T> {
  const end = performance.now() + limits.database.patienceMs
  for (let tries = 1; ; tries += 1) {
    try {
      return await work()
    } catch (error) {
      if (!isConnectionLost(error) || performance.now() > end) throw error
    }
    await delay(backoffMs(limits.database, tries, Math.random()))
  }
}
