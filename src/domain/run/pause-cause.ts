import type { ReachedBound } from './budget.ts'

/** A signal to a process that follows a Run in a terminal of its own; it pauses the Run. */
export const pauseSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** The side that a PAUSED Run waits for. */
export type PausedBy = 'user' | 'budget'

export type PauseSignal = (typeof pauseSignals)[number]

export function isPauseSignal(given: unknown): given is PauseSignal {
  return pauseSignals.some((signal) => signal === given)
}

/** A signal, or the person who asked for the pause; neither where an older Drydock paused it. */
export interface PauseCause {
  readonly signal?: PauseSignal
  /** The name of a token on a hub, else the author of commits. */
  readonly person?: string
}

/** The cause in a stored command. On a hub the sender's token names the person. */
export function pauseCause({ signal, person, by }: PauseCause & { readonly by?: string }): PauseCause {
  if (signal !== undefined) return { signal }
  const name = by ?? person
  return name === undefined ? {} : { person: name }
}

/** The cause of a pause, in words that follow "paused". */
export function pausedHow({ signal, person }: PauseCause): string {
  switch (signal) {
    case undefined:
      return `by ${person ?? 'hand'}`
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

/** The cause for a column or a badge, in words that follow "paused by". */
export function pauserName({ signal, person }: PauseCause): string {
  return signal === undefined ? (person ?? 'hand') : signal === 'SIGINT' ? 'Ctrl-C' : signal
}

/** The budgets that stop calls, each once, as the configuration names them. */
export function budgetNames(bounds: readonly Pick<ReachedBound, 'cap'>[]): string {
  const names = new Set(bounds.map(({ cap }) => `budget.${cap}`))
  return names.size === 0 ? 'its budget' : [...names].join(' and ')
}
