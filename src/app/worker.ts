import type { StateAccess } from './state-access.ts'

/** A process while it works for a hub. */
export interface WorkerProcess {
  /** Name of the hub's repository, for people. */
  readonly repository: string
  readonly host: string
  readonly slots: readonly string[]
  /**
   * Rejects with the error that ends the worker: its token was revoked, or the hub has given the
   * worker up.
   */
  readonly ended: Promise<never>
  /** Resolves when somebody at the hub drains the worker. */
  readonly drained: Promise<void>
  /**
   * Starts no new step, stores the workspaces and hands the stories over to other workers. With
   * `drain`, current steps end first.
   */
  stop(options: { readonly drain: boolean }): Promise<void>
}

/** A worker of this machine, running or not. */
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
