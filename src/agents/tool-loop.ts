import { type AskKind, type Lane, type LaneData, type LaneStop, nextRequest } from '../domain/lane/lane.ts'
import type { Message, ToolResult } from '../domain/lane/message.ts'
import { isStalled, turnsWithout } from '../domain/lane/progress.ts'
import { limits } from '../domain/limits.ts'
import { capText } from '../domain/text.ts'
import type { ModelError, ModelReply } from '../ports/model.ts'
import type { ModelCall } from '../ports/rows.ts'
import { answerCall } from './answer-call.ts'
import { cutContext } from './cut-context.ts'
import { canCut, replyTokensOf, windowOf } from './due-cut.ts'
import { estimateRequest } from './estimate-tokens.ts'
import { failCall, suspend } from './fail-call.ts'
import type { LaneDependencies, LaneStep } from './lane.ts'
import { warning } from './prompts/limit-warning.ts'
import { nudge } from './prompts/nudge.ts'
import { recordCall } from './record-call.ts'
import { sentMessages } from './sent-messages.ts'
import { takeReply } from './take-reply.ts'
import { terminalToolOf, toolSpecsOf } from './tools/registry.ts'

/**
 * One step of a lane: cut what has become too long, ask the model, or run the next of its calls.
 * The engine repeats it until the lane has its exit.
 */
export async function advanceLane(lane: Lane, deps: LaneDependencies, signal: AbortSignal): Promise<LaneStep> {
  if (lane.state !== 'ASKING') return act(lane, deps, signal)
  if (isStalled(lane.data, lane.data.limits.withoutProgress))
    return stop(lane.data, 'no_progress', withoutProgress(lane.data))
  const kind = nextRequest(lane.data)
  if (kind === 'never') return stop(lane.data, 'iteration_limit', lastRefusal(deps.messages))
  return (await cutContext(lane, deps, signal)) ?? ask(lane, kind, deps, signal)
}

async function ask(
  lane: Lane,
  kind: Exclude<AskKind, 'never'>,
  deps: LaneDependencies,
  signal: AbortSignal,
): Promise<LaneStep> {
  const { news } = deps
  const sent = sentMessages(deps.messages, lane.data.cut)
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
      messages: [...sent, ...added],
      tools: toolSpecsOf(lane.data.role),
      maxOutputTokens: replyTokensOf(windowOf(lane.data, deps.contextWindow)),
      facts: deps.facts,
    },
    signal,
  )
  signal.throwIfAborted()
  // Nothing was sent: no turn, no call, no try.
  if (reply.stop === 'error' && reply.error.kind === 'suspended') return suspend(lane.data, reply.error, deps.patience)
  const modelCall = recordCall({ lane, model: deps.model.id, reply, startedAt, now: deps.clock.now() })
  const data = { ...lane.data, turn: lane.data.turn + 1 }
  if (reply.stop === 'error') {
    // A turn that a replay file lacks was not played: once it has been added it is found under the
    // same number.
    if (reply.error.kind === 'replay_missing') return failCall(lane.data, reply.error, deps.patience)
    const failed = afterOverflow(data, reply.error, deps) ?? failCall(data, reply.error, deps.patience)
    return { ...failed, modelCall, failure: reply.error }
  }
  return hear(data, { reply, sent, added, news, modelCall })
}

interface Heard {
  readonly reply: Exclude<ModelReply, { stop: 'error' }>
  readonly sent: readonly Message[]
  /** What was sent besides, for the first time. */
  readonly added: readonly Message[]
  readonly news: LaneDependencies['news']
  readonly modelCall: ModelCall
}

function hear(data: LaneData, { reply, sent, added, news, modelCall }: Heard): LaneStep {
  const taken = takeReply(reply)
  const spoken = [...added, ...taken.messages]
  // Some servers report usage, but count nothing.
  const measured =
    reply.usage !== null && reply.usage.input > 0
      ? { tokens: reply.usage.input + reply.usage.output, messages: sent.length + spoken.length }
      : data.measured
  const { cut } = data
  const told = {
    ...{ ...data, iterations: data.iterations + 1, failedCalls: 0, suspended: null },
    ...{ calls: taken.calls, results: [], heard: news === null ? data.heard : news.upTo, measured },
    cut: cut.overflow === null ? cut : { ...cut, overflow: { ...cut.overflow, answered: true } },
  }
  if (taken.calls.length > 0) return { event: 'called', data: told, messages: spoken, modelCall }
  const hint = userMessage(nudge(reply.stop, terminalToolOf(data.role).name))
  return { event: 'again', data: told, messages: [...spoken, hint], modelCall }
}

/**
 * What was refused as too long says how much is: it is cut to that, and sent once more. Null when
 * it cannot be, or was.
 */
function afterOverflow(data: LaneData, { kind }: ModelError, { messages }: LaneDependencies): LaneStep | null {
  if (kind !== 'context_overflow' || !canCut(data, messages)) return null
  const { cut } = data
  const sent = sentMessages(messages, cut)
  // Too small a guess would have it cut, and its replies bounded, for ever.
  const refused = Math.max(estimateRequest(data, sent), estimateRequest({ ...data, measured: null }, sent))
  const tokens = Math.min(refused, cut.overflow?.tokens ?? refused)
  const known = {
    measured: { tokens: refused, messages: sent.length },
    cut: { ...cut, overflow: { tokens, answered: false } },
  }
  return { event: 'again', data: { ...data, ...known }, messages: [] }
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
    return { event: 'handed_over', data: lane.data, messages: [], toolExecution: execution, request }
  }
  const step = takeResult(lane.data, answer.result)
  const stopped = answer.repeated.count >= limits.identicalCallsStop
  const data = { ...step.data, repeated: answer.repeated, progress: answer.progress }
  if (stopped)
    return {
      ...stop(data, answer.isMalformed ? 'malformed' : 'identical_calls', shortOf(answer.result)),
      messages: step.messages,
      toolExecution: answer.execution,
    }
  return { ...step, data, toolExecution: answer.execution }
}

/**
 * Adds the result of the call that is next. When it is the last, the results go into the
 * conversation and the model is asked again.
 */
export function takeResult(data: LaneData, result: ToolResult): LaneStep {
  const capped = { ...result, output: capText(result.output, limits.toolResultChars) }
  const results = [...data.results, capped]
  if (results.length < data.calls.length) return { event: 'call_answered', data: { ...data, results }, messages: [] }
  return { event: 'all_answered', data: { ...data, calls: [], results: [] }, messages: [{ role: 'tool', results }] }
}

function stop(data: LaneData, reason: LaneStop, last: string | null): LaneStep {
  return { event: 'stopped', data, messages: [], request: { type: 'stopped', stop: reason, last } }
}

function withoutProgress(lane: LaneData): string {
  return `its last ${turnsWithout(lane)} turns made no progress`
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
