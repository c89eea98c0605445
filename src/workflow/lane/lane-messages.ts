import type { Message } from '../../domain/lane/message.ts'
import { limits } from '../../domain/limits.ts'
import type { Records } from '../../ports/store.ts'

/** The stored conversations of lanes. The same message is the same object at every turn. */
export interface LaneMessages {
  of(lane: string): Promise<readonly Message[]>
  /** What was stored after the messages that `of` gave last. */
  add(lane: string, messages: readonly Message[]): void
}

/**
 * Keeps the conversations of the lanes that asked last, and reads what is new at each turn: what is
 * stored of one only grows. With others, who may have taken steps of a lane in between, each message
 * is read from the store.
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
