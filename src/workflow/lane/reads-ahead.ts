import type { Answer } from '../../agents/answer-call.ts'
import type { Lane } from '../../domain/lane/lane.ts'

/** Starts reading; null where there is nothing to read. */
type Reading = (signal: AbortSignal) => Promise<readonly Answer[]> | null

/**
 * Reads that a reply asks for, begun beside the commit that stores the reply. Nothing comes of them
 * before the lane's next step takes their answers: what is lost before that is read again.
 */
export interface ReadsAhead {
  /** `lane` is as it will be when its reply is stored. */
  begin(lane: Lane, reading: Reading): void
  /** That commit came to nothing. */
  drop(lane: string): void
  /**
   * What was read for this turn of the lane; null when nothing was. Fails as the reading did. The
   * signal ends the reading, too.
   */
  take(lane: Lane, signal: AbortSignal): Promise<readonly Answer[] | null>
}

export function createReadsAhead(): ReadsAhead {
  const begun = new Map<string, Begun>()

  function taken(lane: string): Begun | undefined {
    const found = begun.get(lane)
    begun.delete(lane)
    return found
  }

  return {
    begin({ id, data }, reading) {
      const stop = new AbortController()
      const answers = reading(stop.signal)
      if (answers === null) return
      begun.set(id, { turn: data.turn, stop, answers })
      // Who takes them hears of it.
      answers.catch(() => {})
    },
    drop: (lane) => taken(lane)?.stop.abort(),
    async take({ id, data }, signal) {
      const found = taken(id)
      if (found?.turn !== data.turn) {
        found?.stop.abort()
        return null
      }
      const end = () => found.stop.abort(signal.reason)
      if (signal.aborted) end()
      signal.addEventListener('abort', end, { once: true })
      return found.answers.finally(() => signal.removeEventListener('abort', end))
    },
  }
}

interface Begun {
  readonly turn: number
  readonly stop: AbortController
  readonly answers: Promise<readonly Answer[]>
}
