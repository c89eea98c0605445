import type { MachineKind } from '../domain/machine.ts'
import type { Transaction } from './store.ts'

/** The next step of a machine, made for one version of it. */
export interface Step {
  readonly kind: MachineKind
  readonly machine: string
  /** The Run of the machine. */
  readonly run: string
  readonly version: number
}

/**
 * Ends a step: in one transaction the change is written and the step is gone. False, and nothing
 * written, when the machine has moved on since the step was queued, or when the lease has ended.
 */
export type Commit = (change: (tx: Transaction) => Promise<void>) => Promise<boolean>

/** `signal` is aborted when the lease ends, or when the worker stops. */
export type StepHandler = (step: Step, commit: Commit, signal: AbortSignal) => Promise<void>

/**
 * Durable steps. A step is handed to a handler of its kind at least once, until a commit ends it;
 * a state changes exactly once.
 *
 * Lease: a step that is handed out is leased to one worker, and to no other at the same time. The
 * lease ends with the commit, when the step is dropped, or when its worker is no longer alive. A
 * worker that has lost its lease cannot commit. The step of a dead worker is handed out again.
 * Status is read from leases and machines, so a worker never stores that it works.
 *
 * Host: a step of a Run or story that holds a slot is handed to workers on that slot's host alone,
 * since its workspace lies there; any other step is handed to any worker. When a host is given up,
 * its slots are withdrawn and taken from their holders, and the steps go to others.
 *
 * A machine never has two steps under way: a new step waits until the one before it has ended,
 * outdated or not. A worker does not retry a step whose handler rejected; the next worker does.
 */
export interface Engine {
  /** Where this worker works; its name in the slots that it offers. */
  readonly host: string
  /** The transaction of a store, with what only an engine can do to steps. */
  transact<T>(work: (tx: Transaction) => Promise<T>): Promise<T>
  work(kind: MachineKind, concurrency: number, handler: StepHandler): void
  /**
   * Called after every commit of this worker; an engine with several workers also calls it after
   * theirs. Returns the way to stop listening.
   */
  onCommit(listener: () => void): () => void
  /** Takes no new step; aborts those under way, or lets them end with `drain`. */
  stop(options?: { readonly drain: boolean }): Promise<void>
}
