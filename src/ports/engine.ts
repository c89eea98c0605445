import type { MachineKind } from '../domain/machine.ts'
import type { Job, Transaction } from './store.ts'

/**
 * Ends a step: in one transaction the change is written and the job is gone. False, and nothing
 * written, when the machine has moved on since the job was made.
 */
export type Commit = (change: (tx: Transaction) => Promise<void>) => Promise<boolean>

export type StepHandler = (job: Job, commit: Commit, signal: AbortSignal) => Promise<void>

/**
 * Durable steps: a job is handed to its queue's handler at least once, until a commit ends it;
 * state changes exactly once. A job whose row a transaction removed is aborted. A machine never has
 * two steps under way: a new job waits until the step before it has ended, outdated or not. A
 * handler that rejects keeps its job for the next start.
 */
export interface Engine {
  transact<T>(work: (tx: Transaction) => Promise<T>): Promise<T>
  work(queue: MachineKind, concurrency: number, handler: StepHandler): void
  /** Called after every commit of this process. Returns the way to stop listening. */
  onCommit(listener: () => void): () => void
  /** Takes no new job; aborts those under way, or lets them end their step with `drain`. */
  stop(options?: { readonly drain: boolean }): Promise<void>
}
