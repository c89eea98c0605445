import { estimateTokenCount } from 'tokenx'
import type { LaneData } from '../domain/lane/lane.ts'
import type { Message } from '../domain/lane/message.ts'
import { toolSpecsOf } from './tools/registry.ts'

/**
 * Tokens that the next request of a lane has, about: what the last reply said of the conversation
 * until then, and an estimate of what came after it.
 */
export function estimateRequest(
  { system, role, measured }: Pick<LaneData, 'system' | 'role' | 'measured'>,
  messages: readonly Message[],
): number {
  if (measured !== null) return measured.tokens + estimateMessages(messages.slice(measured.messages))
  return estimateTokenCount(system) + estimateTokenCount(JSON.stringify(toolSpecsOf(role))) + estimateMessages(messages)
}

/** Of a reply that is sent back as it came, only that form counts. */
function estimateMessages(messages: readonly Message[]): number {
  const sent = messages.map((message) => ('raw' in message ? (message.raw ?? message) : message))
  return sent.reduce((sum, message) => sum + estimateTokenCount(JSON.stringify(message)), 0)
}
