import { DrydockError } from '../../domain/drydock-error.ts'
import { limits } from '../../domain/limits.ts'
import { sentence } from '../../domain/sentence.ts'
import type { Clock } from '../../ports/clock.ts'
import type { HubDoor } from '../../ports/hub/hub-door.ts'

interface Watching {
  readonly clock: Pick<Clock, 'sleep'>
  readonly door: HubDoor
  readonly onNote: (text: string) => void
  /** Called when the hub refuses the worker. */
  readonly onEnd: (error: DrydockError) => void
  /** Called when the hub answers again. */
  readonly onBack: () => void
}

/**
 * Failures that pass by themselves. A hub of another protocol may answer for a moment, until it
 * sees that it may not start: when a worker joins at that moment, or whenever the hub is older than
 * 0.6. A hub that may start has already dropped its workers.
 */
const passing: readonly string[] = ['hub_unreachable', 'worker_version']

/** A worker's connection to its hub. */
export interface HubWatch {
  isReached(): boolean
  /** Resolves when the hub answers; rejects when the signal is aborted. */
  untilReached(signal: AbortSignal): Promise<void>
  end(): void
}

/**
 * Polls the hub for its health and for permission to continue. While the hub is away no new work
 * begins, and calls that need the hub wait.
 */
export function watchHub({ clock, door, onNote, onEnd, onBack }: Watching): HubWatch {
  const ending = new AbortController()
  let isReached = true
  let back = Promise.withResolvers<void>()

  async function look(): Promise<void> {
    try {
      await door.sharedState(ending.signal)
      if (isReached) return
      isReached = true
      onNote('The hub answers again.')
      back.resolve()
      onBack()
    } catch (error) {
      if (ending.signal.aborted) return
      if (!(error instanceof DrydockError) || !passing.includes(error.code)) {
        onEnd(error as DrydockError)
        ending.abort()
      } else if (isReached) {
        isReached = false
        back = Promise.withResolvers()
        onNote(sentence`${error.message}. Nothing new is begun until it answers.`)
      }
    }
  }

  async function watch(): Promise<void> {
    while (!ending.signal.aborted) {
      await clock.sleep(limits.hub.lookAtHubMs, { signal: ending.signal, keepsAlive: false }).catch(() => {})
      if (!ending.signal.aborted) await look()
    }
  }

  void watch()
  return {
    isReached: () => isReached,
    async untilReached(signal) {
      await look()
      if (isReached) return
      const { promise, reject } = Promise.withResolvers<never>()
      const abort = () => reject(signal.reason)
      if (signal.aborted) abort()
      signal.addEventListener('abort', abort, { once: true })
      await Promise.race([back.promise, promise]).finally(() => signal.removeEventListener('abort', abort))
    },
    end: () => ending.abort(),
  }
}
