import type { LaneData } from '../domain/lane/lane.ts'
import type { Message } from '../domain/lane/message.ts'
import { limits } from '../domain/limits.ts'
import { estimateTokens } from '../ports/estimate-tokens.ts'
import type { ModelRequest, ToolSpec } from '../ports/model.ts'
import { offerOf } from './tools/offer-of.ts'
import { toolSpecsOf } from './tools/registry.ts'

/**
 * Tokens that the next request of a lane has, about: what the last reply said of the conversation
 * until then, and an estimate of what came after it.
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

/** By system prompt: most lanes keep theirs, and the tools with it. */
const frames = new Map<string, { readonly tools: Frame['tools']; readonly tokens: number }>()

/** What comes with each request of a lane. */
function estimateFrame({ system, tools }: Frame): number {
  const known = frames.get(system)
  if (known !== undefined && isSame(known.tools, tools)) return known.tokens
  const tokens = estimateTokens(system) + estimateTokens(JSON.stringify(tools))
  frames.delete(system)
  frames.set(system, { tools, tokens })
  if (frames.size > limits.lanesInMemory) frames.delete(frames.keys().next().value ?? '')
  return tokens
}

/** The lists may be made anew; what a tool is stays the same object as long as its schema. */
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

/** A message never changes, and comes with each request of its lane. */
const estimates = new WeakMap<Message, number>()

/** Of a reply that is sent back as it came, only that form counts. */
function estimateMessage(message: Message): number {
  const sent = 'raw' in message ? (message.raw ?? message) : message
  const estimate = estimates.get(message) ?? estimateTokens(JSON.stringify(sent))
  estimates.set(message, estimate)
  return estimate
}
