import type { Transaction } from '../ports/store.ts'

/**
 * The same transaction, in which everything that is told has the name of whom a command is from:
 * events as `actor`, and what a human says as its author.
 */
export function actingFor(tx: Transaction, actor: string | undefined): Transaction {
  if (actor === undefined) return tx
  return {
    ...tx,
    appendEvent: (event) => tx.appendEvent({ ...event, actor }),
    postMessage: (message) => tx.postMessage(message.agent_id === 'human' ? { ...message, author: actor } : message),
  }
}
