/** Time and chance, so that rules depend on neither. */
export interface Clock {
  now(): Date
  /** A random number in [0, 1). */
  random(): number
}
