import type { Part } from '../brackets.ts'
import type { DrawnValues } from './drawn-values.ts'

/** A test that must fail now. */
export interface SpoiledTest {
  /** Its name, as the file has it. */
  readonly name: string
  /** The names that the test of a table's row may have; values of the row are parts of them. */
  readonly pattern?: string
  /** The line of what can no longer hold, as it was. */
  readonly line: string
  /** Whether the file before the change has the test word for word. */
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
  /** Whether the test has no code behind it, which a failure would skip. */
  readonly isLast: boolean
}

export interface Spoiling {
  readonly path: string
  readonly text: string
  /** The file before the change. */
  readonly before: string | null
  readonly values: DrawnValues
  /** Names of the tests to spoil; all where it is left out. */
  readonly only?: ReadonlySet<string>
  /** Whether an old test of this name is deaf already. */
  readonly isDeaf?: (name: string) => boolean
}
