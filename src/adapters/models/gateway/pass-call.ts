import { trustedUsage } from '../../../domain/lane/trusted-usage.ts'
import { limits } from '../../../domain/limits.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { ModelError } from '../../../ports/model.ts'
import type { CallAccount, GrantedCall } from '../../../ports/model-gateway.ts'
import { outcomeOf } from '../call-outcome.ts'
import type { Gate, Pass } from '../gate.ts'
import type { RequestFacts } from './formats/format.ts'
import { type Forwarding, type ForwardResult, forward } from './forward.ts'
import { refuse } from './refuse.ts'

export interface Passing extends Omit<Forwarding, 'onHeaders' | 'isPaidFor'> {
  readonly run: string
  readonly account: CallAccount
  readonly gate: Gate
  readonly clock: Clock
  readonly asked: RequestFacts & { readonly model: string }
  /** Tokens of the agent's largest call so far. */
  readonly largest: { tokens: number }
}

/**
 * One call of a model: reserves its cost, passes the gate, forwards the request and settles the
 * cost.
 */
export async function passCall(passing: Passing): Promise<void> {
  const { run, account, gate, clock, asked, largest, request, response, signal } = passing
  const { format } = request.route
  const sentTokens = Math.ceil(request.body.length / limits.bytesPerToken)
  const inputTokens = sentTokens + (asked.refersBack ? largest.tokens : 0)
  const { model, outputTokens } = asked
  const granted = await account.begin({ model, inputTokens, outputTokens }, signal)
  if (!granted.ok) return refuse(response, { format, trouble: { kind: 'stop', message: granted.message } })
  const entry = await gate.enter(run, signal)
  if (entry.type === 'closed') {
    const { reason: message, ms } = entry
    await granted.withdraw({ kind: 'suspended', message, retryable: true, retryAfterMs: ms })
    return refuse(response, { format, trouble: { kind: 'unavailable', message }, retryAfterMs: ms })
  }
  if (signal.aborted) {
    entry.leave({ type: 'nothing' })
    return granted.withdraw(null)
  }
  const startedAt = clock.now()
  const forwarded = await forward({ ...passing, onHeaders: entry.learn, isPaidFor: meterOf(granted) })
  const durationMs = clock.now().getTime() - startedAt.getTime()
  const usage = forwarded.usage && trustedUsage(forwarded.usage)
  if (usage !== null) largest.tokens = Math.max(largest.tokens, usage.input + usage.output)
  const failure = leave(entry, forwarded, usage)
  const call = { usage, startedAt, durationMs }
  const { isAbandoned } = forwarded
  if (failure !== null) await granted.end({ ...call, stop: 'error', failure, isAbandoned })
  else await granted.end({ ...call, stop: forwarded.stop ?? 'end', failure: null })
  forwarded.finish()
}

/** A request that is free, such as a token count, but still passes the gate. */
export async function passFree({
  run,
  gate,
  ...passing
}: Omit<Passing, 'account' | 'asked' | 'largest' | 'clock'>): Promise<void> {
  const { request, response, signal } = passing
  const { format } = request.route
  const entry = await gate.enter(run, signal)
  if (entry.type === 'closed') {
    const trouble = { kind: 'unavailable', message: entry.reason } as const
    return refuse(response, { format, trouble, retryAfterMs: entry.ms })
  }
  if (signal.aborted) return void entry.leave({ type: 'nothing' })
  const forwarded = await forward({ ...passing, onHeaders: entry.learn, isPaidFor: async () => true })
  if (forwarded.failure?.retryable) leave(entry, forwarded, null)
  else entry.leave({ type: 'nothing' })
  forwarded.finish()
}

/** Leaves the gate. Returns the failure, which says so if the provider no longer answers. */
function leave(
  pass: Pass,
  forwarded: ForwardResult,
  usage: Parameters<typeof outcomeOf>[0]['usage'],
): ModelError | null {
  const { failure, isSilent } = forwarded
  const closed = pass.leave(isSilent ? { type: 'nothing' } : outcomeOf({ error: failure, usage }))
  return closed !== null && failure?.retryable ? { ...failure, retryAfterMs: closed.ms, outage: true } : failure
}

/** Reserves more whenever an answer grows beyond the reserved amount. */
function meterOf(granted: GrantedCall): (bytes: number) => Promise<boolean> {
  let reserved = granted.outputTokens
  return async (bytes) => {
    const tokens = Math.ceil(bytes / limits.bytesPerToken)
    if (tokens <= reserved) return true
    const more = tokens + limits.gateway.extendTokens
    if (!(await granted.extend(more))) return false
    reserved = more
    return true
  }
}
