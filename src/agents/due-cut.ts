import type { ConversationCut, LaneData } from '../domain/lane/lane.ts'
import type { Message } from '../domain/lane/message.ts'
import { limits } from '../domain/limits.ts'
import type { Conversation } from './conversation.ts'
import { estimateRequest } from './estimate-tokens.ts'
import { sentMessages } from './sent-messages.ts'

/** A lane before and after a cut; sizes are estimated tokens of its next request. */
export interface CutResult {
  readonly data: LaneData
  readonly before: number
  readonly after: number
}

/** `summary`: shortening old results leaves too much, so the model must write one. */
export type DueCut =
  | ({ readonly stage: 'shorten' } & CutResult)
  | { readonly stage: 'summary'; readonly before: number }

/** Tokens of a lane's request with its reply; null if no limit is known. */
export function windowOf({ cut: { overflow } }: Pick<LaneData, 'cut'>, ofModel: number | null): number | null {
  return overflow === null ? ofModel : Math.min(overflow.tokens, ofModel ?? overflow.tokens)
}

/** The most tokens for a reply; `ofModel` is the limit that the user set for the model. */
export function replyTokensOf(window: number | null, ofModel: number = limits.replyTokens): number {
  return Math.min(ofModel, Math.floor(limits.context.replyShare * (window ?? Number.POSITIVE_INFINITY)))
}

/**
 * The cut that a conversation needs before its next request; null while it fits, or when nothing is
 * left to cut. Cuts are rare and deep, since each one loses the provider's cache: shortening is
 * enough only if it makes room.
 */
export function dueCut(data: LaneData, conversation: Conversation, ofModel: number | null): DueCut | null {
  const { stored, tokens: before } = conversation
  const window = windowOf(data, ofModel)
  if (window === null || before <= limits.context.cutAt * window) return null
  const turns = turnsLeft(stored, data.cut)
  if (turns.length === 0) return null
  const shortenedTo = turns.at(-limits.context.keepTurns) ?? 0
  if (shortenedTo <= data.cut.shortenedTo) return { stage: 'summary', before }
  const made = cutTo({ ...data.cut, shortenedTo }, data, conversation)
  return made.after <= limits.context.cutTo * window ? { stage: 'shorten', ...made } : { stage: 'summary', before }
}

interface CutInput {
  readonly data: LaneData
  readonly conversation: Conversation
  readonly window: number
}

/**
 * The cut after the model has written its summary: as many of the last turns stay as there is room
 * for.
 */
export function cutWith(text: string, { data, conversation, window }: CutInput): CutResult {
  const { stored } = conversation
  const turns = turnsLeft(stored, data.cut).slice(-limits.context.keepTurns)
  const kept = data.todos && { todos: data.todos }
  for (const upTo of turns) {
    const made = cutTo({ ...data.cut, shortenedTo: upTo, summary: { text, upTo, ...kept } }, data, conversation)
    if (made.after <= limits.context.cutTo * window) return made
  }
  const upTo = stored.length
  return cutTo({ ...data.cut, shortenedTo: upTo, summary: { text, upTo, ...kept } }, data, conversation)
}

/**
 * True if a conversation that was refused as too long can be cut and sent once more; only once
 * until the next reply.
 */
export function canCut({ cut }: LaneData, stored: readonly Message[]): boolean {
  return cut.overflow?.answered !== false && turnsLeft(stored, cut).length > 0
}

/**
 * The cut with an estimate of its size, scaled by the provider's count of the earlier conversation.
 */
function cutTo(cut: ConversationCut, data: LaneData, { stored, sent, tokens: before }: Conversation): CutResult {
  const uncounted = { ...data, measured: null }
  const left = sentMessages(stored, cut)
  const after = Math.ceil((before * estimateRequest(uncounted, left)) / estimateRequest(uncounted, sent))
  return { data: { ...data, cut, measured: { tokens: after, messages: left.length } }, before, after }
}

/**
 * Starts of the turns that no summary covers yet: each is before a message of the model, so that a
 * call stays with its results.
 */
function turnsLeft(stored: readonly Message[], { summary }: ConversationCut): readonly number[] {
  const from = summary?.upTo ?? 1
  return stored.flatMap(({ role }, index) => (role === 'assistant' && index >= from ? [index] : []))
}
