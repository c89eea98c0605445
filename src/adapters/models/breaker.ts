/**
 * What is known of whether a provider answers. Closed: it does, as far as is known. Open: it failed
 * too often in a row; nothing is sent for a while that grows, and then one request alone tries.
 */
export interface Breaker {
  readonly open: boolean
  /** In a row while it is closed. */
  readonly failures: number
  /** Requests that tried in vain since it opened. */
  readonly probes: number
  /** Nothing is sent before: milliseconds since the epoch. */
  readonly until: number
  /** The last failure, for people. */
  readonly reason: string
}

/**
 * `failures` in a row open it; then it waits for half of to a whole `firstPauseMs`, twice as long
 * after each probe, at most `longestPauseMs`.
 */
export interface Patience {
  readonly failures: number
  readonly firstPauseMs: number
  readonly longestPauseMs: number
}

export interface Failure {
  readonly reason: string
  /** What the provider asked to wait; holds for everyone. */
  readonly retryAfterMs: number | null
  /** Sent to try whether it answers again. */
  readonly probe: boolean
}

export const closedBreaker: Breaker = { open: false, failures: 0, probes: 0, until: 0, reason: '' }

export function afterFailure(
  breaker: Breaker,
  { reason, retryAfterMs, probe }: Failure,
  at: { readonly now: number; readonly random: number; readonly patience: Patience },
): Breaker {
  const { failures, firstPauseMs, longestPauseMs } = at.patience
  const until = Math.max(breaker.until, at.now + (retryAfterMs ?? 0))
  // It was sent before the breaker opened, and says nothing new.
  if (breaker.open && !probe) return { ...breaker, until }
  const inRow = breaker.failures + 1
  if (!breaker.open && inRow < failures) return { ...breaker, failures: inRow, until, reason }
  const probes = breaker.open ? breaker.probes + 1 : 0
  const pause = Math.min(longestPauseMs, firstPauseMs * 2 ** probes) * (0.5 + at.random / 2)
  return { open: true, failures: inRow, probes, until: Math.max(until, at.now + pause), reason }
}

/**
 * An answer of any kind, a refusal of the one request too. While it is open only that to a probe
 * counts.
 */
export function afterAnswer(breaker: Breaker, { probe }: { readonly probe: boolean }): Breaker {
  if (breaker.open) return probe ? closedBreaker : breaker
  return { ...breaker, failures: 0 }
}
