/** A process that works on a shared state, as others see it. Times are ISO 8601, of the server. */
export interface WorkerSign {
  /** Of the process: the next one on its host has another. */
  readonly id: string
  readonly host: string
  /** Since it gave a sign of life. */
  readonly silentMs: number
  readonly isGivenUp: boolean
  /** It ended in good order. Otherwise it was lost, if it was given up. */
  readonly hasLeft: boolean
  /** It takes no new step, and ends when those under way have ended. */
  readonly isDraining: boolean
  /** Of its Drydock, and what it speaks; null for one that is too old to say so. */
  readonly version: string | null
  readonly protocol: number | null
  readonly since: string | null
  readonly seenAt: string
}
