/** Time and chance, so that rules depend on neither. */
export interface Clock {
  now(): Date
  /**
   * Waits for a number of milliseconds. Rejects with the signal's reason on abort, and at once if
   * the signal is already aborted.
   */
  sleep(ms: number, options?: SleepOptions): Promise<void>
  /**
   * Sets the time where several machines share a state. Their clocks may be hours apart, and each
   * reads times that others have stored.
   */
  agree?(time: Date): void
  /** A random number in [0, 1). */
  random(): number
}

export interface SleepOptions {
  readonly signal?: AbortSignal
  /** False for a wait that need not keep a process alive. */
  readonly keepsAlive?: boolean
}
