import type { Step } from './engine.ts'
import type { Store, Transaction } from './store.ts'

/**
 * The stored form of a queued step. Only a store and its engine know jobs. All other code says in a
 * transaction what should follow.
 */
export interface Job extends Step {
  readonly id: number
  /** The earliest start, ISO 8601. */
  readonly runAt: string
}

/** A transaction of the store, without the operations that only an engine adds. */
export interface JobTransaction extends Omit<Transaction, 'hold' | 'drop'> {
  jobsOf(run: string): Promise<readonly Job[]>
  /**
   * Returns false when the job does not exist: its step has ended, was taken back, or was dropped.
   */
  endJob(id: number): Promise<boolean>
}

/** A store with the jobs of its machines, in the order in which they were queued. */
export interface JobStore extends Store {
  /**
   * All jobs. With a host, leaves out the jobs of Runs and stories that hold a slot on another
   * host.
   */
  jobs(host?: string): Promise<readonly Job[]>
  /** Like `Store.transact`: serialized with every other writer. */
  transact<T>(work: (tx: JobTransaction) => Promise<T>): Promise<T>
}
