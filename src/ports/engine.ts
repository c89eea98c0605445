import type { MachineKind } from '../domain/machine.ts'
import type { Transaction } from './store.ts'

/** The next step of a machine, queued for one version of it. */
export interface Step {
  readonly kind: MachineKind
  readonly machine: string
  /** The Run of the machine. */
  readonly run: string
  readonly version: number
}

/**
 * Ends a step: one transaction writes the change and removes the step. Returns false and writes
 * nothing when the machine has moved since the step was queued, or when the lease has ended.
 */
export type Commit = (change: (tx: Transaction) => Promise<void>) => Promise<boolean>

/** A host that lost its slots, and the Runs and stories that held one of them. */
export interface HostGone {
  readonly host: string
  /** True if the host left in good order. Otherwise none of its workers is alive any more. */
  readonly hasLeft: boolean
  /** Machine ids of the Runs. */
  readonly runs: readonly string[]
  readonly stories: readonly string[]
}

/** Runs a step. `signal` is aborted when the lease ends, or when the worker stops. */
export type StepHandler = (step: Step, commit: Commit, signal: AbortSignal) => Promise<void>

/**
 * Durable steps. A step is handed to a handler of its kind at least once, until a commit ends it. A
 * state changes exactly once.
 *
 * Lease: a step that is handed out is leased to one worker at a time. The lease ends with the
 * commit, when the step is dropped, or when its worker is no longer alive. A worker that has lost
 * its lease cannot commit. The step of a dead worker is handed out again. Status is read from
 * leases and machines, so a worker never stores that it is working.
 *
 * Host: the workspace of a Run or story lies on the host of its slot, so its steps go only to
 * workers on that host. Steps for the state itself go to one worker, its hub, wherever the slot is.
 * Any other step goes to any worker. When a host is given up, its slots are withdrawn and taken
 * from their holders, and the steps go to other hosts.
 *
 * A machine never has two steps in progress: a new step waits until the earlier one has ended, even
 * if that one is outdated. A worker does not retry a step whose handler rejected; the next worker
 * does.
 */
export interface Engine {
  /** The machine that this worker runs on: its name in the slots that it offers. */
  readonly host: string
  /** The transaction of a store, plus the operations on steps that only an engine can do. */
  transact<T>(work: (tx: Transaction) => Promise<T>): Promise<T>
  work(kind: MachineKind, concurrency: number, handler: StepHandler): void
  /**
   * Calls the listener after every commit of this worker, and after commits of other workers if
   * there are any. Returns a function that stops listening.
   */
  onCommit(listener: () => void): () => void
  /**
   * Calls the handler in the transaction that withdraws the slots of a host, after their holders
   * have lost them.
   */
  onHostGone(handler: (tx: Transaction, gone: HostGone) => Promise<void>): void
  /**
   * Withdraws the slots of a host for good, so that other hosts continue; without a name, those of
   * this host, once the work there is kept. Does nothing for a host without slots.
   */
  leave(host?: string): Promise<void>
  /** Takes no new step. Aborts the steps in progress, or with `drain` lets them finish. */
  stop(options?: { readonly drain: boolean }): Promise<void>
}
