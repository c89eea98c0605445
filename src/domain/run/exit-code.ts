import { errorCatalogue } from '../drydock-error.ts'
import { type Outcome, type OutcomeCode, outcomeOfResult } from './outcome.ts'
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

const exits: Readonly<Record<OutcomeCode, number>> = {
  DONE: 0,
  PASS: 0,
  FINDINGS: 3,
  HELD: 3,
  SKIPPED: 3,
  NO_CHANGE: 3,
  TOO_VAGUE: 3,
  FAIL: 3,
  STUCK: 3,
  REJECTED: 3,
  INFRA_ERROR: 4,
  ERROR: 4,
  CANCELLED: 5,
  PAUSED: 6,
  WAITS_FOR_YOU: 6,
  BUDGET_REACHED: 7,
  NOT_APPLIED: errorCatalogue.apply_refused.exit,
  // A follower of such a Run was stopped; these are not results.
  INTERRUPTED: 130,
  PAUSING: 130,
  QUEUED: 130,
  WORKING: 130,
}

/** The exit code of a Run with this outcome, or with this error. */
export function exitCodeOfOutcome({
  outcome,
  error,
}: {
  readonly outcome: Outcome
  readonly error?: RunError
}): number {
  return error ? errorCatalogue[error.code].exit : exits[outcome.code]
}

/** The exit code of a result, as README.md lists them. */
export function exitCodeOf(result: Result | typeof waitingForHuman): number {
  if (result === waitingForHuman) return exits.WAITS_FOR_YOU
  return exitCodeOfOutcome({ ...result, outcome: outcomeOfResult(result) })
}
