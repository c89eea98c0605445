/** Time and chance, so that the rules need neither. */
export interface Clock {
  now(): Date
  /** In [0, 1). */
  random(): number
}
