import { DrydockError } from '../../domain/drydock-error.ts'
import { limits } from '../../domain/limits.ts'
import type { Clock } from '../../ports/clock.ts'
import type { StateReader } from '../../ports/store.ts'
import { createServerWait } from './server-wait.ts'

interface Waiting {
  readonly clock: Pick<Clock, 'sleep'>
  readonly onNote: (text: string) => void
}

/**
 * Lets a following process wait for a database that has answered before. A database that has never
 * answered is an error at once, since its address may be wrong.
 */
export function createDatabaseWait({ clock, onNote }: Waiting) {
  const { goesOn: isWaitedFor, answered, end } = createServerWait({ onNote })
  let hasAnswered = false

  const goesOn = (error: unknown): boolean =>
    hasAnswered && error instanceof DrydockError && error.code === 'database_unreachable' && isWaitedFor(error)

  return {
    /** Returns whether to retry a failed call. */
    goesOn,
    /** Ends all waiting: later failures are not retried. */
    end,
    /** Wraps records so that queries are retried until they are answered. */
    patient: (reader: StateReader): StateReader =>
      new Proxy(reader, {
        get(target, name) {
          const asked: unknown = Reflect.get(target, name)
          if (typeof asked !== 'function' || name === 'close') return asked
          return async (...given: readonly unknown[]) => {
            for (;;) {
              try {
                const answer: unknown = await asked(...given)
                hasAnswered = true
                answered()
                return answer
              } catch (error) {
                if (!goesOn(error)) throw error
                await clock.sleep(limits.database.longestPauseMs)
              }
            }
          }
        },
      }),
  }
}
