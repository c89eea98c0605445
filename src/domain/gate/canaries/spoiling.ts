import type { Part } from '../brackets.ts'
import type { DrawnValues } from './drawn-values.ts'

/** A test that must fail now. */
export interface SpoiledTest {
  /** The test's name, as the file has it. */
  readonly name: string
  /** The possible names of the test of a table's row; they contain values of the row. */
  readonly pattern?: string
  /** The line of the spoiled assertion, before the change. */
  readonly line: string
  /** True if the file before the change has the test word for word. */
  readonly isOld: boolean
  /** The expected value, and its replacement. */
  readonly was: string
  readonly made: string
}

/** The last expectation of a test, which can be replaced. */
export interface Expectation extends Pick<SpoiledTest, 'name' | 'line' | 'pattern'> {
  /** The whole test. */
  readonly test: Part
  readonly at: Part
  /** The replacement of the value; another literal of the same type where it is left out. */
  readonly made?: string
  /** True if the test has no code after this expectation, so that its failure skips nothing. */
  readonly isLast: boolean
}

export interface Spoiling {
  readonly path: string
  readonly text: string
  /** The text of the file before the change; null for a new file. */
  readonly before: string | null
  readonly values: DrawnValues
  /** Names of the tests to spoil; all where it is left out. */
  readonly only?: ReadonlySet<string>
  /** True if an old test of this name is known to be deaf. */
  readonly isDeaf?: (name: string) => boolean
}
