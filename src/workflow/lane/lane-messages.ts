import type { Message } from '../../domain/lane/message.ts'
import { limits } from '../../domain/limits.ts'
import type { Records } from '../../ports/store.ts'

/** The stored conversation of a lane. The same message is the same object at every turn. */
export type LaneMessages = (lane: string) => Promise<readonly Message[]>

/**
 * Keeps the conversations of the lanes that asked last, and reads what is new at each turn: what is
 * stored of one only grows.
 */
export function createLaneMessages(store: Pick<Records, 'messages'>): LaneMessages {
  const known = new Map<string, readonly Message[]>()
  return async (lane) => {
    const before = known.get(lane) ?? []
    const messages = [...before, ...(await store.messages(lane, before.length))]
    known.delete(lane)
    known.set(lane, messages)
    const [oldest = ''] = known.keys()
    if (known.size > limits.lanesInMemory) known.delete(oldest)
    return messages
  }
}
