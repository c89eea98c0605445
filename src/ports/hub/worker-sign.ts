/** A process that works on a shared state, as others see it. */
export interface WorkerSign {
  readonly host: string
  /** Since it gave a sign of life. */
  readonly silentMs: number
  readonly isGivenUp: boolean
}
