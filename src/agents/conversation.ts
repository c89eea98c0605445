import type { LaneData } from '../domain/lane/lane.ts'
import type { Message } from '../domain/lane/message.ts'
import { estimateRequest } from './estimate-tokens.ts'
import { sentMessages } from './sent-messages.ts'

/** A lane's conversation before its next request; computed once per turn. */
export interface Conversation {
  /** All stored messages. */
  readonly stored: readonly Message[]
  /** The messages that the model gets. */
  readonly sent: readonly Message[]
  /** Estimated tokens of the next request. */
  readonly tokens: number
}

export function conversationOf(
  data: Pick<LaneData, 'system' | 'role' | 'measured' | 'cut' | 'skills' | 'mcp'>,
  stored: readonly Message[],
): Conversation {
  const sent = sentMessages(stored, data.cut)
  return { stored, sent, tokens: estimateRequest(data, sent) }
}

/** For a lane that runs calls, which makes no request. */
export const noConversation: Conversation = { stored: [], sent: [], tokens: 0 }
