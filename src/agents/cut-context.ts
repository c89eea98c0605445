import type { Lane } from '../domain/lane/lane.ts'
import { limits } from '../domain/limits.ts'
import { capText } from '../domain/text.ts'
import type { ModelReply } from '../ports/model.ts'
import { askModel } from './ask-model.ts'
import { type CutResult, cutWith, dueCut, replyTokensOf, windowOf } from './due-cut.ts'
import { failCall, suspend } from './fail-call.ts'
import type { LaneDependencies, LaneStep } from './lane.ts'
import { summaryRequest } from './prompts/summary.ts'
import { sentMessages } from './sent-messages.ts'

/** Cuts a conversation that nears its model's window, as a step of its own; null while it fits. */
export async function cutContext(lane: Lane, deps: LaneDependencies, signal: AbortSignal): Promise<LaneStep | null> {
  const due = dueCut(lane.data, deps.conversation, deps.contextWindow)
  if (due === null) return null
  return due.stage === 'shorten' ? stepOf('shortened', due) : summarize(lane, deps, due.before, signal)
}

function stepOf(stage: 'shortened' | 'summarized', { data, before, after }: CutResult): LaneStep {
  return { event: 'again', data, messages: [], cut: { stage, before, after } }
}

/**
 * Asks the model for a summary of the part to cut, in a conversation beside the lane, without using
 * a turn. Nothing important depends on the answer, so an empty one, or a conversation too long to
 * be summarized, is not a failure.
 */
async function summarize(lane: Lane, deps: LaneDependencies, before: number, signal: AbortSignal): Promise<LaneStep> {
  const { data } = lane
  const aside = asideOf(lane)
  const window = windowOf(data, deps.contextWindow) ?? before
  const { reply, modelCall } = await askModel(aside, deps, summaryCall(aside, deps, { before, window }), signal)
  if (reply.stop === 'error' && reply.error.kind === 'suspended') return suspend(data, reply.error, deps.patience)
  const called = { ...data, cut: { ...data.cut, summaryCalls: data.cut.summaryCalls + 1 } }
  if (reply.stop === 'error') {
    const { kind } = reply.error
    // Recordings contain no summaries.
    if (kind === 'replay_missing') return summarized('', { data, deps, window })
    const left = kind === 'context_overflow' ? summarized('', { data: called, deps, window }) : null
    return { ...(left ?? (await failCall(called, reply.error, deps.patience))), modelCall, failure: reply.error }
  }
  return { ...summarized(textOf(reply, window), { data: called, deps, window }), modelCall }
}

/** The summary's conversation, as records and providers see it. */
function asideOf({ data, ...lane }: Lane): Lane {
  return {
    ...lane,
    id: `${lane.id}/summary`,
    data: { ...data, key: `${data.key}/summary`, turn: data.cut.summaryCalls },
  }
}

function summaryCall(aside: Lane, deps: LaneDependencies, { before, window }: { before: number; window: number }) {
  const { cut } = aside.data
  const { stored, sent } = deps.conversation
  const maxOutputTokens = Math.min(
    replyTokensOf(window, deps.model.replyTokens),
    Math.floor(limits.context.summaryShare * window),
  )
  const fits = before + maxOutputTokens <= window
  const shortest = { ...cut, shortenedTo: stored.length }
  return {
    maxOutputTokens,
    messages: [...(fits ? sent : sentMessages(stored, shortest)), { role: 'user', text: summaryRequest } as const],
  }
}

interface Summarizing {
  readonly data: Lane['data']
  readonly deps: LaneDependencies
  readonly window: number
}

function summarized(text: string, { data, deps, window }: Summarizing): LaneStep {
  const made = cutWith(text, { data, conversation: deps.conversation, window })
  return stepOf('summarized', { ...made, data: { ...made.data, failedCalls: 0, rest: null } })
}

/** The summary may take no more of the window than its request allows. */
function textOf({ text }: Extract<ModelReply, { text: string }>, window: number): string {
  return capText(
    text.trim(),
    Math.min(limits.context.summaryChars, limits.bytesPerToken * limits.context.summaryShare * window),
  )
}
