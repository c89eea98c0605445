import { backoffMs, type Pauses } from '../../domain/backoff.ts'

/**
 * A circuit breaker for one provider. Closed: the provider answers, as far as is known. Open: it
 * failed too often in a row; no request is sent for a growing pause, and then a single probe.
 */
export interface Breaker {
  readonly open: boolean
  /** Consecutive failures while the breaker is closed. */
  readonly failures: number
  /** Probes that failed since the breaker opened. */
  readonly probes: number
  /** No request is sent before this time, in milliseconds since the epoch. */
  readonly until: number
  /** The last failure, for people. */
  readonly reason: string
}

/** `failures` in a row open the breaker; its pauses then grow with each failed probe. */
export interface Patience extends Pauses {
  readonly failures: number
}

export interface Failure {
  readonly reason: string
  /** The delay that the provider asks for, which applies to all requests. */
  readonly retryAfterMs: number | null
  /** True if the request was a probe. */
  readonly probe: boolean
}

export const closedBreaker: Breaker = { open: false, failures: 0, probes: 0, until: 0, reason: '' }

export function afterFailure(
  breaker: Breaker,
  { reason, retryAfterMs, probe }: Failure,
  at: { readonly now: number; readonly random: number; readonly patience: Patience },
): Breaker {
  const { failures } = at.patience
  const until = Math.max(breaker.until, at.now + (retryAfterMs ?? 0))
  // The request was sent before the breaker opened, so its failure is not new.
  if (breaker.open && !probe) return { ...breaker, until }
  const inRow = breaker.failures + 1
  if (!breaker.open && inRow < failures) return { ...breaker, failures: inRow, until, reason }
  const probes = breaker.open ? breaker.probes + 1 : 0
  const pause = backoffMs(at.patience, probes + 1, at.random)
  return { open: true, failures: inRow, probes, until: Math.max(until, at.now + pause), reason }
}

/**
 * Any answer counts, including a refusal of one request. While the breaker is open, only the answer
 * to a probe counts.
 */
export function afterAnswer(breaker: Breaker, { probe }: { readonly probe: boolean }): Breaker {
  if (breaker.open) return probe ? closedBreaker : breaker
  return { ...breaker, failures: 0 }
}
