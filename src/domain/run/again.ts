import { backoffMs, type Pauses } from '../backoff.ts'
import { type ErrorCode, errorCatalogue } from '../drydock-error.ts'

/** When a Run that the infrastructure has stopped is tried again, and how often it was by then. */
export interface Again {
  /** ISO 8601. */
  readonly at: string
  readonly tries: number
}

interface Stopping {
  readonly code: ErrorCode
  /** Its last stop; missing when it never stopped, or a person has resumed it since. */
  readonly last: Again | null | undefined
  readonly pauses: Pauses
  readonly now: Date
  readonly random: number
}

/**
 * Null for an error that time does not mend. The pauses grow until the Run has worked for longer
 * than the longest of them.
 */
export function againAfter({ code, last, pauses, now, random }: Stopping): Again | null {
  if (!passes(code)) return null
  const isSoon = last != null && now.getTime() - Date.parse(last.at) < pauses.longestPauseMs
  const tries = isSoon ? last.tries + 1 : 1
  return { at: new Date(now.getTime() + backoffMs(pauses, tries, random)).toISOString(), tries }
}

/** Exit code 4 is the infrastructure's; a model that fails for good does so again. */
function passes(code: ErrorCode): boolean {
  return errorCatalogue[code].exit === 4 && code !== 'model_failed'
}
