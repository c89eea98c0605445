/** Time and chance, so that rules depend on neither. */
export interface Clock {
  now(): Date
  /**
   * Says what time it is where several machines share a state. Their clocks may be hours apart, and
   * what one writes down for later is read by the others.
   */
  agree?(time: Date): void
  /** A random number in [0, 1). */
  random(): number
}
