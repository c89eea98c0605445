import { type LaneData, type LaneStop, nextRequest } from '../domain/lane.ts'
import { limits } from '../domain/limits.ts'
import type { Message, ToolResult } from '../domain/message.ts'
import { capText } from '../domain/text.ts'
import type { Clock } from '../ports/clock.ts'
import type { ModelError, ModelReply } from '../ports/model.ts'
import type { ModelCall } from '../ports/store.ts'
import { answerCall } from './answer-call.ts'
import type { Lane, LaneDependencies, LaneStep } from './lane.ts'
import { warning } from './prompts/limit-warning.ts'
import { nudge } from './prompts/nudge.ts'
import { takeReply } from './take-reply.ts'
import { terminalToolOf, toolSpecsOf } from './tools/registry.ts'

/** One step of a lane: ask the model, or run the next of its calls. The engine repeats it until the lane has its exit. */
export async function advanceLane(lane: Lane, deps: LaneDependencies, signal: AbortSignal): Promise<LaneStep> {
  return lane.state === 'ASKING' ? ask(lane, deps, signal) : act(lane, deps, signal)
}

async function ask(lane: Lane, deps: LaneDependencies, signal: AbortSignal): Promise<LaneStep> {
  const kind = nextRequest(lane.data)
  if (kind === 'never') return stop(lane.data, 'iteration_limit', lastRefusal(deps.messages))
  const { news } = deps
  const added: readonly Message[] = [
    ...(news === null ? [] : [userMessage(news.text)]),
    ...(kind === 'plain' ? [] : [userMessage(warning(lane.data, kind))]),
  ]
  const startedAt = deps.clock.now()
  const reply = await deps.model.reply(
    {
      lane: lane.data.key,
      turn: lane.data.turn,
      system: lane.data.system,
      messages: [...deps.messages, ...added],
      tools: toolSpecsOf(lane.data.role),
      maxOutputTokens: limits.replyTokens,
      facts: deps.facts,
    },
    signal,
  )
  signal.throwIfAborted()
  // Nothing was sent: no turn, no call, no try.
  if (reply.stop === 'error' && reply.error.kind === 'suspended') return suspend(lane.data, reply.error, deps.clock)
  const modelCall = recordCall({ lane, model: deps.model.id, reply, startedAt, now: deps.clock.now() })
  const data = { ...lane.data, turn: lane.data.turn + 1 }
  if (reply.stop === 'error') {
    // A turn that a replay file lacks was not played: once it has been added it is found under the same number.
    if (reply.error.kind === 'replay_missing') return failCall(lane.data, reply.error, deps.clock)
    return { ...failCall(data, reply.error, deps.clock), modelCall, failure: reply.error.kind }
  }
  const taken = takeReply(reply)
  const heard = news === null ? data.heard : news.upTo
  const spoken = [...added, ...taken.messages]
  const measured = reply.usage && {
    tokens: reply.usage.input + reply.usage.output,
    messages: deps.messages.length + spoken.length,
  }
  const told = {
    ...{ ...data, iterations: data.iterations + 1, failedCalls: 0, suspended: null },
    ...{ calls: taken.calls, results: [], heard },
    measured: measured ?? data.measured,
  }
  if (taken.calls.length > 0) return { state: 'ACTING', data: told, messages: spoken, modelCall }
  const hint = userMessage(nudge(reply.stop, terminalToolOf(lane.data.role).name))
  return { state: 'ASKING', data: told, messages: [...spoken, hint], modelCall }
}

function userMessage(text: string): Message {
  return { role: 'user', text }
}

async function act(lane: Lane, deps: LaneDependencies, signal: AbortSignal): Promise<LaneStep> {
  const call = lane.data.calls[lane.data.results.length]
  if (!call) throw new Error(`lane ${lane.id} is ACTING without a call`)
  const answer = await answerCall({ lane, call, deps }, signal)
  if (answer.type === 'wait') {
    const { input, execution } = answer
    const request = { type: 'call', call, input } as const
    return { state: 'WAITING', data: lane.data, messages: [], toolExecution: execution, request }
  }
  const step = takeResult(lane.data, answer.result)
  const stopped = answer.repeated.count >= limits.identicalCallsStop
  const data = { ...step.data, repeated: answer.repeated }
  if (stopped)
    return {
      ...stop(data, 'identical_calls', shortOf(answer.result)),
      messages: step.messages,
      toolExecution: answer.execution,
    }
  return { ...step, data, toolExecution: answer.execution }
}

/** Adds the result of the call that is next. When it is the last, the results go into the conversation and the model is asked again. */
export function takeResult(data: LaneData, result: ToolResult): LaneStep {
  const capped = { ...result, output: capText(result.output, limits.toolResultChars) }
  const results = [...data.results, capped]
  if (results.length < data.calls.length) return { state: 'ACTING', data: { ...data, results }, messages: [] }
  return { state: 'ASKING', data: { ...data, calls: [], results: [] }, messages: [{ role: 'tool', results }] }
}

function stop(data: LaneData, reason: LaneStop, last: string | null): LaneStep {
  return { state: 'ENDED', data, messages: [], request: { type: 'stopped', stop: reason, last } }
}

/** What the model was last told that it could not have; says too when it never called a tool. */
function lastRefusal(messages: readonly Message[]): string | null {
  const results = messages.flatMap((message) => (message.role === 'tool' ? message.results : []))
  if (results.length === 0) return 'it never called a tool'
  const refused = results.findLast(({ ok }) => !ok)
  return refused ? shortOf(refused) : null
}

function shortOf({ tool, output }: ToolResult): string {
  return `last answer to ${tool}: ${output.split('\n').slice(0, 3).join(' ').slice(0, 400)}`
}

/**
 * A failed call is tried again later, with full jitter and what the provider asked for, until it failed too often in a row. When the provider answers nobody,
 * or asked for a long wait, the lane is suspended instead: that says nothing about the call.
 */
function failCall(data: LaneData, error: ModelError, clock: Clock): LaneStep {
  const asked = error.retryAfterMs ?? 0
  if (error.retryable && (error.outage || asked > limits.quietWaitMs)) return suspend(data, error, clock)
  const failed = { ...data, failedCalls: data.failedCalls + 1, suspended: null }
  if (!error.retryable || failed.failedCalls >= limits.modelTries) {
    return { state: 'ASKING', data: failed, messages: [], request: { type: 'model_failed', error } }
  }
  const backoff = clock.random() * Math.min(limits.modelBackoffMs, 1_000 * 2 ** failed.failedCalls)
  return { state: 'ASKING', data: failed, messages: [], delayMs: Math.max(backoff, asked) }
}

function suspend(data: LaneData, error: ModelError, clock: Clock): LaneStep {
  const delayMs = Math.min(error.retryAfterMs ?? 0, limits.longestModelWaitMs)
  const until = new Date(clock.now().getTime() + delayMs).toISOString()
  const suspended = { reason: error.message, until }
  return { state: 'ASKING', data: { ...data, failedCalls: 0, suspended }, messages: [], delayMs }
}

interface CallRecord {
  readonly lane: Lane
  readonly model: string
  readonly reply: ModelReply
  readonly startedAt: Date
  readonly now: Date
}

function recordCall({ lane, model, reply, startedAt, now }: CallRecord): ModelCall {
  return {
    lane: lane.id,
    turn: lane.data.turn,
    run: lane.run,
    story: lane.story,
    agent: lane.data.role,
    model,
    stop: reply.stop,
    error: reply.stop === 'error' ? `${reply.error.kind}: ${reply.error.message}` : null,
    usage: reply.usage,
    costMicroUsd: null,
    startedAt: startedAt.toISOString(),
    durationMs: now.getTime() - startedAt.getTime(),
  }
}
