import { backoffMs, type Pauses } from '../backoff.ts'
import { type ErrorCode, errorCatalogue } from '../drydock-error.ts'

/** The time of a retry after an infrastructure error, and the number of earlier ones. */
export interface Again {
  /** An ISO 8601 time. */
  readonly at: string
  readonly tries: number
}

interface Stopping {
  readonly code: ErrorCode
  /** The last stop; missing when the Run never stopped, or a person has resumed it since. */
  readonly last: Again | null | undefined
  readonly pauses: Pauses
  readonly now: Date
  readonly random: number
}

/**
 * Null for an error that time does not fix. The pauses grow until the Run has worked for longer
 * than the longest of them.
 */
export function againAfter({ code, last, pauses, now, random }: Stopping): Again | null {
  if (!passes(code)) return null
  const isSoon = last != null && now.getTime() - Date.parse(last.at) < pauses.longestPauseMs
  const tries = isSoon ? last.tries + 1 : 1
  return { at: new Date(now.getTime() + backoffMs(pauses, tries, random)).toISOString(), tries }
}

/**
 * True for an error that may pass by itself. Infrastructure errors have exit code 4; a model that
 * fails permanently would only fail again.
 */
function passes(code: ErrorCode): boolean {
  return errorCatalogue[code].exit === 4 && code !== 'model_failed'
}
