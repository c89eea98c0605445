/** Time and chance, so that rules depend on neither. */
export interface Clock {
  now(): Date
  /**
   * Waits for so many milliseconds. Rejects with the signal's reason as soon as it is aborted, and
   * at once when it is already.
   */
  sleep(ms: number, options?: SleepOptions): Promise<void>
  /**
   * Says what time it is where several machines share a state. Their clocks may be hours apart, and
   * what one writes down for later is read by the others.
   */
  agree?(time: Date): void
  /** A random number in [0, 1). */
  random(): number
}

export interface SleepOptions {
  readonly signal?: AbortSignal
  /** False for a wait that a process need not live for: it ends with it. */
  readonly keepsAlive?: boolean
}
