/** A process while it works for a hub. */
export interface WorkerProcess {
  /** Of the hub's repository, for people. */
  readonly repository: string
  readonly host: string
  readonly slots: readonly string[]
  /** Rejects with what ends the worker: its token was revoked, or it was given up. */
  readonly ended: Promise<never>
  /**
   * Takes no new step. Keeps what the workspaces hold, and hands the stories over to other workers;
   * with `drain` the steps under way end first.
   */
  stop(options: { readonly drain: boolean }): Promise<void>
}

export interface Employing {
  /** The origin of the hub. */
  readonly hub: string
  readonly name: string
  readonly coders: number
  readonly onNote: (text: string) => void
}
