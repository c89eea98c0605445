import { errorCatalogue } from '../drydock-error.ts'
import { type Outcome, outcomeOfResult } from './outcome.ts'
import { exitCodes } from './outcome-table.ts'
import type { Result } from './result.ts'
import type { RunError } from './run.ts'

/** The result of a Run that waits for a human, when the command does not wait. */
export const waitingForHuman = 'waiting for a human'

/**
 * True if a Run waits for the human who paused it. A process that follows the Run waits as well,
 * unless it was told not to wait.
 */
export function isPausedByHand({ status, paused_by }: Result): boolean {
  return status === 'PAUSED' && paused_by === 'user'
}

/** The exit code of a Run with this outcome, or with this error. */
export function exitCodeOfOutcome({
  outcome,
  error,
}: {
  readonly outcome: Outcome
  readonly error?: RunError
}): number {
  return error ? errorCatalogue[error.code].exit : exitCodes[outcome.code]
}

/** The exit code of a result, as docs/commands.md lists them. */
export function exitCodeOf(result: Result | typeof waitingForHuman): number {
  if (result === waitingForHuman) return exitCodes.WAITS_FOR_YOU
  return exitCodeOfOutcome({ ...result, outcome: outcomeOfResult(result) })
}
