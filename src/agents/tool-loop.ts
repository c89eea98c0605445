import type { Lane, LaneData, LaneStop } from '../domain/lane/lane.ts'
import type { Message, ToolCall, ToolResult } from '../domain/lane/message.ts'
import { nextRequest } from '../domain/lane/next-request.ts'
import { standstillOf } from '../domain/lane/progress.ts'
import { stopCause } from '../domain/lane/stop-cause.ts'
import { limits } from '../domain/limits.ts'
import { capText } from '../domain/text.ts'
import type { Model, ModelReply } from '../ports/model.ts'
import type { ToolExecution } from '../ports/rows.ts'
import { type Answer, answerCall, countAnswer, isReadBesideOthers } from './answer-call.ts'
import { askModel } from './ask-model.ts'
import { cutContext } from './cut-context.ts'
import { replyTokensOf, windowOf } from './due-cut.ts'
import { withoutReply } from './fail-call.ts'
import type { LaneDependencies, LaneRequest, LaneStep } from './lane.ts'
import { hasCalled, lastCalls, lastWords, shortOf } from './last-calls.ts'
import { warningFor } from './prompts/limit-warning.ts'
import { nudge } from './prompts/nudge.ts'
import { askedEnough, notAskedAgain } from './repeated-question.ts'
import { measuredBy, takeReply } from './take-reply.ts'
import { offerOf } from './tools/offer-of.ts'
import { terminalToolOf, toolsOf } from './tools/registry.ts'
import { scoutRoles } from './tools/roles.ts'
import { answerChars, submitCodebaseReport } from './tools/submit-report.ts'
import { tryModel } from './try-model.ts'

/**
 * One step of a lane's loop: ask the model, or run the next call of its reply. The engine repeats
 * this until the lane has its exit. `workflow/lane/run-lane.ts` reserves the possible cost of a
 * request before it is made, and commits the result of a step before the next step begins: a reply
 * is stored before any of its calls has an effect, and each result before the next call. `begun`:
 * the result of `answersAhead` for this reply.
 */
export function advanceLane(
  lane: Lane,
  deps: LaneDependencies,
  signal: AbortSignal,
  begun: readonly Answer[] | null = null,
): Promise<LaneStep> {
  return lane.state === 'ASKING' ? ask(lane, deps, signal) : act(lane, deps, signal, begun)
}

async function ask(lane: Lane, deps: LaneDependencies, signal: AbortSignal): Promise<LaneStep> {
  const { data } = lane
  const { conversation, guides, news } = deps

  // Stop a lane that stands still, or has no request left.
  const end = endOf(data)
  if (end !== null) return stop(data, end, lastOf(end, conversation.stored))

  // Try a model on its first use: a step of its own.
  const trial = await tryModel(lane, deps, signal)
  if (trial !== null) return trial

  // Cut the history when it nears the model's window: a step of its own, perhaps with a request.
  const cut = await cutContext(lane, deps, signal)
  if (cut !== null) return cut

  // Ask, with guides to the touched files, with new messages of humans, and with a warning near the
  // limit of requests.
  const warning = warningFor(data)
  const added = [guides?.text ?? null, news?.text ?? null, warning].flatMap((text) =>
    text === null ? [] : [userMessage(text)],
  )
  const messages = [...conversation.sent, ...added]
  const maxOutputTokens = replyTokensOf(windowOf(data, deps.contextWindow), deps.model.replyTokens)
  const { reply, modelCall } = await askModel(lane, deps, { messages, maxOutputTokens }, signal)

  // Without a reply: try again later, wait for the provider, make room, or give up.
  if (reply.stop === 'error') return withoutReply(data, { error: reply.error, modelCall }, deps)

  // Store the reply, with each text and argument cut to its limit.
  const taken = takeReply(reply, data.role)
  const spoken = [...added, ...taken.messages]
  const { overflow } = data.cut
  const next = {
    ...data,
    turn: data.turn + 1,
    iterations: data.iterations + 1,
    failedCalls: 0,
    rest: null,
    brokenReplies: undefined,
    cutReplies: undefined,
    calls: taken.calls,
    results: [],
    heard: news === null ? data.heard : news.upTo,
    ...(guides !== null && { guided: [...(data.guided ?? []), ...guides.files] }),
    ...(data.isCalledFor && { isCalledFor: false }),
    measured: measuredBy(reply, conversation.sent.length + spoken.length) ?? data.measured,
    cut: overflow === null ? data.cut : { ...data.cut, overflow: { ...overflow, answered: true } },
  }

  // Continue with the reply's calls.
  if (taken.calls.length > 0) {
    const called = { ...next, ...(data.wordsOnly && { wordsOnly: 0 }) }
    return { event: 'called', data: called, messages: spoken, modelCall }
  }

  // Tell the model that a reply without calls has no effect. After a few cut replies a human is
  // asked, whose answer allows the same number of replies again.
  const tools = toolsOf(data.role, offerOf(data)).map(({ name }) => name)
  const cutReplies = reply.stop === 'length' ? (data.cutReplies ?? 0) + 1 : 0
  const hint = userMessage(nudge(reply, { terminalTool: terminalToolOf(data.role).name, tools, cutReplies }))
  const nudged = { event: 'again', messages: [...spoken, hint], modelCall } as const
  if (cutReplies >= limits.cutReplies.ask)
    return { ...nudged, data: next, request: cutRequest(deps.model, maxOutputTokens) }
  if (cutReplies > 0) return { ...nudged, data: { ...next, cutReplies } }

  // Take the words of a scout as its report the second time; stop any other lane after a few.
  const report = wordsAsReport(data, reply)
  if (report !== null) return { ...calling({ ...next, wordsOnly: 0 }, report, spoken), modelCall }
  const talking = { ...next, wordsOnly: (data.wordsOnly ?? 0) + 1 }
  const { never, after } = limits.repliesWithoutCall
  if (talking.wordsOnly >= (hasCalled(conversation.stored) ? after : never)) {
    const last = lastWords([...conversation.stored, ...spoken], terminalToolOf(data.role).name)
    return { ...stop(talking, 'words_only', last), messages: spoken, modelCall }
  }
  return { ...nudged, data: talking }
}

/** Stores the words of a reply as the call that they stand for. */
function calling(data: LaneData, call: ToolCall, spoken: readonly Message[]): LaneStep {
  const messages = spoken.map((message): Message => {
    return message.role === 'assistant' ? { role: 'assistant', text: message.text, calls: [call] } : message
  })
  return { event: 'called', data: { ...data, calls: [call] }, messages }
}

function cutRequest({ id }: Model, tokens: number): LaneRequest {
  const message = `${limits.cutReplies.ask} replies of ${id} in a row were cut at their limit of ${tokens} tokens, and none was carried out.`
  const error = { kind: 'reply_truncated', message, retryable: false, retryAfterMs: null } as const
  return { type: 'model_failed', error, isAsked: true }
}

async function act(
  lane: Lane,
  deps: LaneDependencies,
  signal: AbortSignal,
  begun: readonly Answer[] | null,
): Promise<LaneStep> {
  const { data } = lane
  const first = data.calls[data.results.length]
  if (!first) throw new Error(`lane ${lane.id} is ${lane.state} without a call`)

  // Run the call, within its tool's time; a call that cannot run is answered with the reason.
  // Consecutive reads run side by side, and those of a reply were started when it was stored.
  const answers = begun ?? (await answerNext(lane, deps, signal))
  const [answer] = answers

  // Hand over a call that only the workflow can answer: the lane waits, or ends.
  if (answer?.type === 'handed_over') {
    const { call: handedOver, execution } = answer
    const asked = askedEnough(data, first)
    if (asked !== null) return stopAsking(data, { call: first, asked, execution })
    const request = { type: 'call', call: handedOver } as const
    return { event: 'handed_over', data, messages: [], toolExecutions: [execution], request }
  }

  // Answer: the results join the earlier ones, and after the last call the model is asked again.
  const toolExecutions: ToolExecution[] = []
  let step: LaneStep = { event: 'call_answered', data, messages: [] }
  for (const each of answers) {
    if (each.type === 'handed_over') throw new Error(`${each.call.tool} is not answered beside reads`)
    const { data: counted, result, execution, isRefusedForGood } = countAnswer(step.data, each)
    step = takeResult(counted, result)
    toolExecutions.push(execution)
    const isRepeated = (counted.repeated?.count ?? 0) >= limits.identicalCallsStop
    if (!isRepeated && !isRefusedForGood) continue
    // Stop a lane that made the same call with the same result too often in a row, or repeatedly
    // submits something that cannot be accepted.
    const reason = isRefusedForGood ? 'refused' : each.isMalformed ? 'malformed' : 'identical_calls'
    const stopped = stop(step.data, reason, shortOf(result))
    return { ...stopped, messages: step.messages, toolExecutions }
  }
  return { ...step, toolExecutions }
}

/** The answer to the next call, or to several next calls if all of them only read. */
function answerNext(lane: Lane, deps: LaneDependencies, signal: AbortSignal): Promise<readonly Answer[]> {
  const from = lane.data.results.length
  const open = lane.data.calls.slice(from, from + limits.readsAtOnce)
  const end = open.findIndex((call) => !isReadBesideOthers(lane, call))
  const calls = open.slice(0, end === -1 ? open.length : Math.max(1, end))
  return Promise.all(calls.map((call, i) => answerCall({ lane, index: from + i, call, deps }, signal)))
}

/**
 * The answers to the first calls of a reply that is not stored yet, while they only read: these
 * change nothing in the workspace, and the lane gets them in its next step. Null for other calls.
 */
export function answersAhead(
  lane: Lane,
  deps: LaneDependencies,
  signal: AbortSignal,
): Promise<readonly Answer[]> | null {
  const [first] = lane.data.calls
  return first && isReadBesideOthers(lane, first) ? answerNext(lane, deps, signal) : null
}

/** The reason why a lane makes no further request; null while it may. */
export function endOf(data: LaneData): Extract<LaneStop, 'no_progress' | 'alternating' | 'iteration_limit'> | null {
  const spent = nextRequest(data) === 'never' ? 'iteration_limit' : null
  return spent ?? standstillOf(data, data.limits.withoutProgress)
}

/**
 * Adds the result of the next call. After the last one, the results go into the conversation and
 * the model is asked again.
 */
export function takeResult(data: LaneData, result: ToolResult): LaneStep {
  const capped = { ...result, output: capText(result.output, limits.toolResultChars) }
  const results = [...data.results, capped]
  if (results.length < data.calls.length) return { event: 'call_answered', data: { ...data, results }, messages: [] }
  return { event: 'all_answered', data: { ...data, calls: [], results: [] }, messages: [{ role: 'tool', results }] }
}

function stop(data: LaneData, reason: LaneStop, last: string | null): LaneStep {
  const request = { type: 'stopped', stop: reason, cause: stopCause(data, reason), last } as const
  return { event: 'stopped', data, messages: [], request }
}

interface AskedAgain {
  readonly call: ToolCall
  readonly asked: NonNullable<ReturnType<typeof askedEnough>>
  readonly execution: ToolExecution
}

/** Ends a lane that repeats a question, without asking it. */
function stopAsking(data: LaneData, { call, asked, execution }: AskedAgain): LaneStep {
  const { id: callId, tool } = call
  const output = notAskedAgain(call, asked)
  const step = takeResult({ ...data, repeated: asked }, { callId, tool, output, ok: false })
  const stopped = stop(step.data, 'identical_calls', shortOf({ tool, output: asked.answer }))
  const ended = { result: output, success: false, durationMs: 0, finishedAt: execution.startedAt }
  return { ...stopped, messages: step.messages, toolExecutions: [{ ...execution, ...ended }] }
}

/** The calls of a lane that stands still. Its last refusal is shown separately. */
function lastOf(end: NonNullable<ReturnType<typeof endOf>>, messages: readonly Message[]): string | null {
  if (!hasCalled(messages)) return 'it never called a tool'
  return end === 'iteration_limit' ? null : lastCalls(messages)
}

function userMessage(text: string): Message {
  return { role: 'user', text }
}

const mark = '[Not handed in as a report: the words of the scout, unchecked.]'

/**
 * The report that a scout has given in words alone, once it was told to call its tool and has
 * talked again; null for any other reply.
 */
function wordsAsReport(
  { role, turn, wordsOnly = 0 }: Pick<LaneData, 'role' | 'turn' | 'wordsOnly'>,
  { stop, text }: Pick<Exclude<ModelReply, { stop: 'error' }>, 'stop' | 'text'>,
): ToolCall | null {
  const isScout = scoutRoles.some((scout) => scout === role)
  const said = text.trim()
  if (!isScout || stop !== 'end' || said === '' || wordsOnly + 1 < limits.scoutWords) return null
  const answer = `${mark}\n${capText(said, answerChars - mark.length - 1 - limits.cutNotice)}`
  return { id: `words_${turn}`, tool: submitCodebaseReport.name, input: { answer } }
}
