/** A worker process of a shared state, as others see it. Times are ISO 8601, of the server. */
export interface WorkerSign {
  /** Id of the process: a restarted one on this host has another. */
  readonly id: string
  readonly host: string
  /** Milliseconds since its last heartbeat. */
  readonly silentMs: number
  readonly isGivenUp: boolean
  /** True if the worker ended in good order. Otherwise it was lost, if it was given up. */
  readonly hasLeft: boolean
  /** True if the worker takes no new step, and ends when its steps in progress have ended. */
  readonly isDraining: boolean
  /** Version of its Drydock and of its protocol; null for one that is too old to report them. */
  readonly version: string | null
  readonly protocol: number | null
  readonly since: string | null
  readonly seenAt: string
}
