import type { LaneData } from '../domain/lane/lane.ts'
import { limits } from '../domain/limits.ts'
import type { ModelError } from '../ports/model.ts'
import type { LaneStep, Patience } from './lane.ts'

/**
 * A failed call is tried again later, with full jitter and what the provider asked for, until it
 * failed too often in a row. When the provider answers nobody, or asked for a long wait, the lane
 * is suspended instead: that says nothing about the call. A provider that nobody has ever reached
 * is not waited for.
 */
export function failCall(data: LaneData, error: ModelError, patience: Patience): LaneStep {
  const asked = error.retryAfterMs ?? 0
  const failed = { ...data, failedCalls: data.failedCalls + 1, suspended: null }
  if (error.unreachable && !patience.hasAnswered) {
    const isLast = !error.retryable || error.outage || failed.failedCalls >= limits.firstTries
    if (isLast) return give(failed, error)
    return { event: 'again', data: failed, messages: [], delayMs: limits.firstTryPauseMs }
  }
  if (error.retryable && (error.outage || asked > limits.quietWaitMs)) return suspend(data, error, patience)
  if (!error.retryable || failed.failedCalls >= limits.modelTries) return give(failed, error)
  const backoff = patience.clock.random() * Math.min(limits.modelBackoffMs, 1_000 * 2 ** failed.failedCalls)
  return { event: 'again', data: failed, messages: [], delayMs: Math.max(backoff, asked) }
}

/** The lane waits for its provider: no try is used up, until it has waited as long as it may. */
export function suspend(data: LaneData, error: ModelError, { clock, maxWaitMs }: Patience): LaneStep {
  const now = clock.now().getTime()
  const since = data.suspended?.since ?? new Date(now).toISOString()
  const left = Date.parse(since) + maxWaitMs - now
  if (left <= 0) {
    const waited = `${error.message} (waited for ${Math.round(maxWaitMs / 1_000)} s)`
    return give({ ...data, suspended: null }, { ...error, message: waited, unreachable: true })
  }
  const delayMs = Math.min(error.retryAfterMs ?? 0, limits.longestModelWaitMs, left)
  const suspended = { reason: error.message, until: new Date(now + delayMs).toISOString(), since }
  return { event: 'again', data: { ...data, failedCalls: 0, suspended }, messages: [], delayMs }
}

function give(data: LaneData, error: ModelError): LaneStep {
  return { event: 'again', data, messages: [], request: { type: 'model_failed', error } }
}
