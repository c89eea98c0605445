import { backoffMs } from '../domain/backoff.ts'
import { type LaneData, suspensionOf } from '../domain/lane/lane.ts'
import { limits } from '../domain/limits.ts'
import type { ModelError } from '../ports/model.ts'
import type { ModelCall } from '../ports/rows.ts'
import type { Conversation } from './conversation.ts'
import { canCut } from './due-cut.ts'
import { estimateRequest } from './estimate-tokens.ts'
import type { LaneDependencies, LaneStep, Patience } from './lane.ts'

interface CallFailure {
  readonly error: ModelError
  readonly modelCall: ModelCall
}

/** The step after a request without a reply. */
export async function withoutReply(
  data: LaneData,
  { error, modelCall }: CallFailure,
  { conversation, patience }: Pick<LaneDependencies, 'conversation' | 'patience'>,
): Promise<LaneStep> {
  // Nothing was sent, so no turn, call or try counts.
  if (error.kind === 'suspended') return suspend(data, error, patience)
  // A turn that a replay file lacks does not count: once it has been added, it has the same number.
  if (error.kind === 'replay_missing') return failCall(data, error, patience)
  const next = { ...data, turn: data.turn + 1 }
  const room = error.kind === 'context_overflow' ? afterOverflow(next, conversation) : null
  return { ...(room ?? (await failCall(next, error, patience))), modelCall, failure: error }
}

/**
 * A refusal as too long shows the limit: the next request is cut to that. Null when nothing is left
 * to cut, or a cut did not help.
 */
function afterOverflow(data: LaneData, { stored, sent, tokens: expected }: Conversation): LaneStep | null {
  if (!canCut(data, stored)) return null
  const { cut } = data
  // Too low a limit would cut the conversation and bound its replies for good, so the size is
  // estimated low, with four bytes per token: too high a limit just leads to another cut.
  const least = Math.floor((estimateRequest({ ...data, measured: null }, sent) * limits.bytesPerToken) / 4)
  const refused = Math.max(expected, least)
  const tokens = Math.min(refused, cut.overflow?.tokens ?? refused)
  const known = {
    measured: { tokens: refused, messages: sent.length },
    cut: { ...cut, overflow: { tokens, answered: false } },
  }
  return { event: 'again', data: { ...data, ...known }, messages: [] }
}

/**
 * Retries a failed call after a growing pause, or the one that the provider asked for, until too
 * many failures in a row. When the provider answers nobody, or asked for a long wait, the lane is
 * suspended instead: that says nothing about the call. A provider that was never reached is not
 * waited for. One that has answered, and that something else seems to have replaced, is retried for
 * a while.
 */
export async function failCall(data: LaneData, error: ModelError, patience: Patience): Promise<LaneStep> {
  const asked = error.retryAfterMs ?? 0
  const failed = withBroken({ ...data, failedCalls: data.failedCalls + 1, rest: null }, error)
  const isGone = error.unreachable === true
  const hasAnswered = !isGone || (await patience.hasAnswered())
  if (!hasAnswered) {
    const isLast = !error.retryable || error.outage || failed.failedCalls >= limits.firstTries
    if (isLast) return give(failed, error)
    return { event: 'again', data: failed, messages: [], delayMs: limits.firstTryPauseMs }
  }
  if (!error.retryable && !isGone) return give(failed, error)
  const broken = failed.brokenReplies ?? 0
  if (broken >= limits.brokenReplies) return give(withoutBroken(failed), afterTries(error, broken), { isAsked: true })
  const isOut = error.retryable && (error.outage || asked > limits.quietWaitMs)
  if (isOut && error.came !== 'unusable') return suspend(withBroken(data, error), error, patience)
  if (failed.failedCalls >= limits.modelTries) return give(failed, afterTries(error, failed.failedCalls))
  const backoff = backoffMs(limits.modelPauses, failed.failedCalls, patience.clock.random())
  return { event: 'again', data: failed, messages: [], delayMs: Math.max(backoff, asked) }
}

/**
 * Counts replies in a row that broke off or never ended; a call that was not sent does not count.
 */
function withBroken(data: LaneData, { kind, came }: ModelError): LaneData {
  if (kind === 'suspended') return data
  return came === undefined ? withoutBroken(data) : { ...data, brokenReplies: (data.brokenReplies ?? 0) + 1 }
}

function withoutBroken(data: LaneData): LaneData {
  return { ...data, brokenReplies: undefined }
}

/** After an earlier answer, the provider's base URL is not the first suspect. */
function afterTries(error: ModelError, tries: number): ModelError {
  const message = `${error.message} (${tries} calls failed in a row)`
  if (error.retryable) return { ...error, message }
  const todo = 'It has answered before. Look at the provider and at proxies on the way, then run: drydock resume'
  return { ...error, message, todo }
}

/**
 * Makes the lane wait for its provider, up to its limit, without using up a try. Replies that break
 * off are counted separately, since each may cost money.
 */
export function suspend(data: LaneData, error: ModelError, { clock, maxWaitMs }: Patience): LaneStep {
  const now = clock.now().getTime()
  const since = suspensionOf(data)?.since ?? new Date(now).toISOString()
  const left = Date.parse(since) + maxWaitMs - now
  if (left <= 0) {
    const waited = `${error.message} (waited for ${Math.round(maxWaitMs / 1_000)} s)`
    return give({ ...data, rest: null }, { ...error, message: waited, unreachable: true })
  }
  const delayMs = Math.min(error.retryAfterMs ?? 0, limits.longestModelWaitMs, left)
  const until = new Date(now + delayMs).toISOString()
  const rest = { because: 'provider', since, reason: error.message, until } as const
  return {
    event: 'again',
    data: { ...data, failedCalls: error.kind === 'suspended' ? data.failedCalls : 0, rest },
    messages: [],
    delayMs,
  }
}

function give(data: LaneData, error: ModelError, how: { readonly isAsked?: true } = {}): LaneStep {
  return { event: 'again', data, messages: [], request: { type: 'model_failed', error, ...how } }
}
