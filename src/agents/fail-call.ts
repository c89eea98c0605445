import type { LaneData } from '../domain/lane.ts'
import { limits } from '../domain/limits.ts'
import type { Clock } from '../ports/clock.ts'
import type { ModelError } from '../ports/model.ts'
import type { LaneStep } from './lane.ts'

/**
 * A failed call is tried again later, with full jitter and what the provider asked for, until it failed too often in a row. When the provider answers nobody,
 * or asked for a long wait, the lane is suspended instead: that says nothing about the call.
 */
export function failCall(data: LaneData, error: ModelError, clock: Clock): LaneStep {
  const asked = error.retryAfterMs ?? 0
  if (error.retryable && (error.outage || asked > limits.quietWaitMs)) return suspend(data, error, clock)
  const failed = { ...data, failedCalls: data.failedCalls + 1, suspended: null }
  if (!error.retryable || failed.failedCalls >= limits.modelTries) {
    return { state: 'ASKING', data: failed, messages: [], request: { type: 'model_failed', error } }
  }
  const backoff = clock.random() * Math.min(limits.modelBackoffMs, 1_000 * 2 ** failed.failedCalls)
  return { state: 'ASKING', data: failed, messages: [], delayMs: Math.max(backoff, asked) }
}

/** The lane waits for its provider: no try is used up. */
export function suspend(data: LaneData, error: ModelError, clock: Clock): LaneStep {
  const delayMs = Math.min(error.retryAfterMs ?? 0, limits.longestModelWaitMs)
  const until = new Date(clock.now().getTime() + delayMs).toISOString()
  const suspended = { reason: error.message, until }
  return { state: 'ASKING', data: { ...data, failedCalls: 0, suspended }, messages: [], delayMs }
}
