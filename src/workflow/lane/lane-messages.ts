import type { Message } from '../../domain/lane/message.ts'
import { limits } from '../../domain/limits.ts'
import type { Records } from '../../ports/store.ts'

/** The stored conversations of lanes. A message is the same object at every turn. */
export interface LaneMessages {
  of(lane: string): Promise<readonly Message[]>
  /** Adds messages that were stored after those that `of` last returned. */
  add(lane: string, messages: readonly Message[]): void
}

/**
 * Caches the conversations of the lanes that asked last, and reads only new messages at each turn,
 * since a conversation only grows. If other processes may have taken steps of the lane, all
 * messages are read from the store.
 */
export function createLaneMessages(
  store: Pick<Records, 'messages'>,
  { isSole }: { readonly isSole: boolean },
): LaneMessages {
  const known = new Map<string, readonly Message[]>()

  function keep(lane: string, messages: readonly Message[]): readonly Message[] {
    known.delete(lane)
    known.set(lane, messages)
    const [oldest = ''] = known.keys()
    if (known.size > limits.lanesInMemory) known.delete(oldest)
    return messages
  }

  return {
    async of(lane) {
      const before = known.get(lane) ?? []
      return keep(lane, [...before, ...(await store.messages(lane, before.length))])
    },
    add(lane, messages) {
      const before = known.get(lane)
      if (isSole && before !== undefined) keep(lane, [...before, ...messages])
    },
  }
}
