/** Pauses between tries of one thing, in milliseconds. */
export interface Pauses {
  readonly firstPauseMs: number
  readonly longestPauseMs: number
}

/**
 * The pause after `failures` failed tries in a row, in milliseconds: half of to a whole
 * `firstPauseMs` after the first, twice as long after each further one, at most `longestPauseMs`.
 * `random` is a number from 0 to 1 that spreads those who failed together. Every pause that grows
 * is this one. Looking again for what others give back has fixed pauses, and is no backoff.
 */
export function backoffMs({ firstPauseMs, longestPauseMs }: Pauses, failures: number, random: number): number {
  return Math.min(longestPauseMs, firstPauseMs * 2 ** (failures - 1)) * (0.5 + random / 2)
}
