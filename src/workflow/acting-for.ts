import type { Transaction } from '../ports/store.ts'

/**
 * Returns a transaction that records who gave a command: the name becomes the `actor` of its events
 * and the author of the human's messages.
 */
export function actingFor(tx: Transaction, actor: string | undefined): Transaction {
  if (actor === undefined) return tx
  return {
    ...tx,
    appendEvent: (event) => tx.appendEvent({ ...event, actor }),
    postMessage: (message) => tx.postMessage(message.agent_id === 'human' ? { ...message, author: actor } : message),
  }
}
