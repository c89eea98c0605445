import { dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { backoffMs } from '../../domain/backoff.ts'
import { DrydockError } from '../../domain/drydock-error.ts'
import { sentence } from '../../domain/sentence.ts'
import { lacksSpace } from '../../processes/lacks-space.ts'

/** SQLite's primary result codes, the low byte of `errcode`. */
const resultCodes = { busy: 5, corrupt: 11, cannotOpen: 14, notADatabase: 26 } as const

/**
 * The wait for another process's transaction: transactions are short, but the process may be
 * suspended during one.
 */
const patienceMs = 60_000
const pauses = { firstPauseMs: 1, longestPauseMs: 50 }

/**
 * Retries while another process holds the lock. Unlike SQLite's own timeout, this does not block
 * the event loop.
 */
export async function whenUnlocked<T>(work: () => Promise<T>): Promise<T> {
  const end = performance.now() + patienceMs
  for (let tries = 1; ; tries += 1) {
    try {
      return await work()
    } catch (error) {
      if (codeOf(error) !== resultCodes.busy || performance.now() > end) throw error
    }
    await delay(backoffMs(pauses, tries, Math.random()))
  }
}

/**
 * The error to show for an error of the store: DrydockError `disk_full`, `state_unusable` for a
 * damaged file, or the error itself.
 */
export function explained(error: unknown, file: string): unknown {
  const code = codeOf(error)
  if (!lacksSpace(error, dirname(file))) {
    return code !== null && damaged.includes(code) ? unreadable(error, file) : error
  }
  return new DrydockError('disk_full', `There is no space left for ${file}. This step wrote nothing.`, {
    todo: 'Free some space and run the same command again. To continue a run that had begun: drydock resume',
    cause: error,
  })
}

const damaged: readonly number[] = [resultCodes.corrupt, resultCodes.cannotOpen, resultCodes.notADatabase]

function unreadable(cause: unknown, file: string): DrydockError {
  const why = cause instanceof Error ? cause.message : String(cause)
  return new DrydockError('state_unusable', sentence`The state file ${file} cannot be read: ${why}.`, {
    todo: `Restore a copy of it. Or stop every drydock and move ${dirname(file)} away: the next command starts a new state. Branches and receipts in your repository stay.`,
    cause,
  })
}

function codeOf(error: unknown): number | null {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode & 0xff : null
}
