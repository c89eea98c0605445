import type { Step } from './engine.ts'
import type { Store, Transaction } from './store.ts'

/**
 * The stored form of a queued step. Only a store and the engine on top of it know jobs; everybody
 * else says in a transaction what should follow.
 */
export interface Job extends Step {
  readonly id: number
  /** ISO 8601: not before. */
  readonly runAt: string
}

/** A transaction of the store, before an engine adds what only it can do. */
export interface JobTransaction extends Omit<Transaction, 'hold' | 'drop'> {
  jobsOf(run: string): Promise<readonly Job[]>
  /** False when it is not there: its step has ended, was taken back, or was dropped. */
  endJob(id: number): Promise<boolean>
}

/** A store with the jobs of its machines, in the order in which they were queued. */
export interface JobStore extends Store {
  /** With a host: without the jobs of Runs and stories that hold a slot on another one. */
  jobs(host?: string): Promise<readonly Job[]>
  /** As that of a store: serialized with every other writer. */
  transact<T>(work: (tx: JobTransaction) => Promise<T>): Promise<T>
}
