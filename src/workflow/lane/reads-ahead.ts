import type { Answer } from '../../agents/answer-call.ts'
import type { Lane } from '../../domain/lane/lane.ts'

/** Starts reading; null if there is nothing to read. */
type Reading = (signal: AbortSignal) => Promise<readonly Answer[]> | null

/**
 * Starts the reads that a reply asks for while the reply is being committed. Their answers count
 * only once the lane's next step takes them; lost answers are read again.
 */
export interface ReadsAhead {
  /** `lane` is the lane with its reply stored. */
  begin(lane: Lane, reading: Reading): void
  /** Called when that commit failed. */
  drop(lane: string): void
  /**
   * The answers that were read for this turn of the lane; null if none were. Fails if the reading
   * failed. The signal also aborts the reading.
   */
  take(lane: Lane, signal: AbortSignal): Promise<readonly Answer[] | null>
}

export function createReadsAhead(): ReadsAhead {
  const begun = new Map<string, TurnReads>()

  function taken(lane: string): TurnReads | undefined {
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
      // The caller of `take` gets the rejection.
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

interface TurnReads {
  readonly turn: number
  readonly stop: AbortController
  readonly answers: Promise<readonly Answer[]>
}
