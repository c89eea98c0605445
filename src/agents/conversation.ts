import type { LaneData } from '../domain/lane/lane.ts'
import type { Message } from '../domain/lane/message.ts'
import { estimateRequest } from './estimate-tokens.ts'
import { sentMessages } from './sent-messages.ts'

/** A lane's conversation before its next request; worked out once a turn. */
export interface Conversation {
  /** All of it. */
  readonly stored: readonly Message[]
  /** What the model is sent of it. */
  readonly sent: readonly Message[]
  /** Tokens of the next request, estimated. */
  readonly tokens: number
}

export function conversationOf(
  data: Pick<LaneData, 'system' | 'role' | 'measured' | 'cut' | 'skills' | 'mcp'>,
  stored: readonly Message[],
): Conversation {
  const sent = sentMessages(stored, data.cut)
  return { stored, sent, tokens: estimateRequest(data, sent) }
}

/** Of a lane that runs calls, which asks nothing. */
export const noConversation: Conversation = { stored: [], sent: [], tokens: 0 }
