import { backoffMs } from '../domain/backoff.ts'
import { type LaneData, suspensionOf } from '../domain/lane/lane.ts'
import { limits } from '../domain/limits.ts'
import type { ModelError } from '../ports/model.ts'
import type { ModelCall } from '../ports/rows.ts'
import type { Conversation } from './conversation.ts'
import { canCut } from './due-cut.ts'
import { estimateRequest } from './estimate-tokens.ts'
import type { LaneDependencies, LaneStep, Patience } from './lane.ts'

interface Unanswered {
  readonly error: ModelError
  readonly modelCall: ModelCall
}

/** What follows from a request that got no reply. */
export async function withoutReply(
  data: LaneData,
  { error, modelCall }: Unanswered,
  { conversation, patience }: Pick<LaneDependencies, 'conversation' | 'patience'>,
): Promise<LaneStep> {
  // Nothing was sent: no turn, no call, no try.
  if (error.kind === 'suspended') return suspend(data, error, patience)
  // A turn that a replay file lacks was not played: once it has been added it is found under the
  // same number.
  if (error.kind === 'replay_missing') return failCall(data, error, patience)
  const next = { ...data, turn: data.turn + 1 }
  const room = error.kind === 'context_overflow' ? afterOverflow(next, conversation) : null
  return { ...(room ?? (await failCall(next, error, patience))), modelCall, failure: error }
}

/**
 * A request that was refused as too long shows how much is: the next one is cut to that. Null when
 * nothing is left to cut, or a cut did not help.
 */
function afterOverflow(data: LaneData, { stored, sent, tokens: expected }: Conversation): LaneStep | null {
  if (!canCut(data, stored)) return null
  const { cut } = data
  // Too small a guess would have it cut, and its replies bounded, for ever.
  // Four bytes a token: the estimate counts rather too many, and what is too large does not cut.
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
 * A failed call is tried again after a pause that grows, or the one that the provider asked for,
 * until it failed too often in a row. When the provider answers nobody, or asked for a long wait,
 * the lane is suspended instead: that says nothing about the call. A provider that nobody has ever
 * reached is not waited for. One that has answered, and whose place something else takes now, is
 * asked again for a while.
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

/** How many replies in a row broke off or never ended; a call that was not made says nothing. */
function withBroken(data: LaneData, { kind, came }: ModelError): LaneData {
  if (kind === 'suspended') return data
  return came === undefined ? withoutBroken(data) : { ...data, brokenReplies: (data.brokenReplies ?? 0) + 1 }
}

function withoutBroken(data: LaneData): LaneData {
  return { ...data, brokenReplies: undefined }
}

/** The base URL of a provider that has answered before is not the first thing to doubt. */
function afterTries(error: ModelError, tries: number): ModelError {
  const message = `${error.message} (${tries} calls failed in a row)`
  if (error.retryable) return { ...error, message }
  const todo = 'It has answered before. Look at the provider and at proxies on the way, then run: drydock resume'
  return { ...error, message, todo }
}

/**
 * The lane waits for its provider, until it has waited as long as it may. No try is used up.
 * Replies that break off are counted apart, since each may cost money.
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
