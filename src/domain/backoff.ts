/** Bounds of the pauses between retries, in milliseconds. */
export interface Pauses {
  readonly firstPauseMs: number
  readonly longestPauseMs: number
}

/**
 * The pause after `failures` failed tries in a row, in milliseconds. The first is between half of
 * `firstPauseMs` and all of it. Each further one is twice as long, up to `longestPauseMs`.
 * `random`, from 0 to 1, spreads callers that failed together. All growing pauses come from here.
 * Polling for something that others release has fixed pauses and is not a backoff.
 */
export function backoffMs({ firstPauseMs, longestPauseMs }: Pauses, failures: number, random: number): number {
  return Math.min(longestPauseMs, firstPauseMs * 2 ** (failures - 1)) * (0.5 + random / 2)
}
