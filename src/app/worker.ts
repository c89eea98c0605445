import type { StateAccess } from './state-access.ts'

/** A process while it works for a hub. */
export interface WorkerProcess {
  /** Of the hub's repository, for people. */
  readonly repository: string
  readonly host: string
  readonly slots: readonly string[]
  /** Rejects with what ends the worker: its token was revoked, or it was given up. */
  readonly ended: Promise<never>
  /** Fulfilled when somebody at the hub wants the worker to end in good order. */
  readonly drained: Promise<void>
  /**
   * Takes no new step. Keeps what the workspaces hold, and hands the stories over to other workers;
   * with `drain` the steps under way end first.
   */
  stop(options: { readonly drain: boolean }): Promise<void>
}

/** A worker of this machine, whether it is at work or not. */
export interface WorkerHere extends Pick<StateAccess, 'workersNow' | 'drainWorkers'> {
  readonly host: string
}

export interface Employing {
  /** The origin of the hub. */
  readonly hub: string
  readonly name: string
  readonly coders: number
  readonly onNote: (text: string) => void
}
