import { estimateTokenCount } from 'tokenx'
import type { LaneData } from '../domain/lane/lane.ts'
import type { Message } from '../domain/lane/message.ts'
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
  }: Pick<LaneData, 'system' | 'role' | 'measured' | 'skills' | 'repositories' | 'mcp'>,
  messages: readonly Message[],
): number {
  if (measured !== null) return measured.tokens + estimateMessages(messages.slice(measured.messages))
  return (
    estimateTokenCount(system) +
    estimateTokenCount(JSON.stringify(toolSpecsOf(role, offerOf(offered)))) +
    estimateMessages(messages)
  )
}

function estimateMessages(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + estimateMessage(message), 0)
}

/** A message never changes, and comes with each request of its lane. */
const estimates = new WeakMap<Message, number>()

/** Of a reply that is sent back as it came, only that form counts. */
function estimateMessage(message: Message): number {
  const sent = 'raw' in message ? (message.raw ?? message) : message
  const estimate = estimates.get(message) ?? estimateTokenCount(JSON.stringify(sent))
  estimates.set(message, estimate)
  return estimate
}
