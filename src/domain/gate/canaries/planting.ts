import type { DrawnValues } from './drawn-values.ts'

/** A test file, and the word that names the canary in it. */
export interface Planting {
  readonly path: string
  readonly text: string
  /** Lower-case letters and digits, a letter first: part of the name of each test that is added. */
  readonly token: string
  /** The values that the canary's false assertions are made of. */
  readonly values: DrawnValues
  /** True if the canary stands before the file's own tests instead of behind them. */
  readonly isFirst?: boolean
}
