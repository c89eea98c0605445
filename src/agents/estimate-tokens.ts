import type { LaneData } from '../domain/lane/lane.ts'
import type { Message } from '../domain/lane/message.ts'
import { limits } from '../domain/limits.ts'
import { estimateTokens } from '../ports/estimate-tokens.ts'
import type { ModelRequest, ToolSpec } from '../ports/model.ts'
import { offerOf } from './tools/offer-of.ts'
import { toolSpecsOf } from './tools/registry.ts'

/**
 * Estimated tokens of a lane's next request: the count of the last reply for the conversation up to
 * it, and an estimate for later messages.
 */
export function estimateRequest(
  {
    system,
    role,
    measured,
    ...offered
  }: Pick<LaneData, 'system' | 'role' | 'measured' | 'reviewed' | 'skills' | 'repositories' | 'mcp'>,
  messages: readonly Message[],
): number {
  if (measured !== null) return measured.tokens + estimateMessages(messages.slice(measured.messages))
  return estimateFrame({ system, tools: toolSpecsOf(role, offerOf(offered)) }) + estimateMessages(messages)
}

type Frame = Pick<ModelRequest, 'system' | 'tools'>

/** Cached by system prompt: most lanes keep theirs, and the tools with it. */
const frames = new Map<string, { readonly tools: Frame['tools']; readonly tokens: number }>()

/** Tokens of the parts that come with each request of a lane. */
function estimateFrame({ system, tools }: Frame): number {
  const known = frames.get(system)
  if (known !== undefined && isSame(known.tools, tools)) return known.tokens
  const tokens = estimateTokens(system) + estimateTokens(JSON.stringify(tools))
  frames.delete(system)
  frames.set(system, { tools, tokens })
  if (frames.size > limits.lanesInMemory) frames.delete(frames.keys().next().value ?? '')
  return tokens
}

/** A list may be rebuilt, but a tool stays the same object as long as its schema does. */
function isSame(one: Frame['tools'], other: Frame['tools']): boolean {
  const isEqual = (tool: ToolSpec, i: number) => {
    const { name, description, inputSchema } = other[i] ?? {}
    return tool.name === name && tool.description === description && tool.inputSchema === inputSchema
  }
  return one === other || (one.length === other.length && one.every(isEqual))
}

function estimateMessages(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + estimateMessage(message), 0)
}

/**
 * A message never changes, and is part of each later request of its lane, so estimates are cached.
 */
const estimates = new WeakMap<Message, number>()

/** A reply that is sent back in its provider's form counts in that form only. */
function estimateMessage(message: Message): number {
  const sent = 'raw' in message ? (message.raw ?? message) : message
  const estimate = estimates.get(message) ?? estimateTokens(JSON.stringify(sent))
  estimates.set(message, estimate)
  return estimate
}
