/** A signal to a process that follows a Run in a terminal of its own; it pauses the Run. */
export const pauseSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

export type PauseSignal = (typeof pauseSignals)[number]

export function isPauseSignal(given: unknown): given is PauseSignal {
  return pauseSignals.some((signal) => signal === given)
}

/** Left out where a person asked for the pause. */
export interface PauseCause {
  readonly signal?: PauseSignal
}

/** The cause of a pause, in words that follow "paused". */
export function pausedHow(signal: PauseSignal | undefined): string {
  switch (signal) {
    case undefined:
      return 'by hand'
    case 'SIGINT':
      return 'by Ctrl-C in its terminal'
    case 'SIGTERM':
      return 'because its process was told to end (SIGTERM)'
    case 'SIGHUP':
      return 'because its terminal was closed (SIGHUP)'
    default:
      throw new Error(`unknown signal ${signal satisfies never}`)
  }
}
