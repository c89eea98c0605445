import type { Part } from '../brackets.ts'
import type { Planting } from './planting.ts'

/** A test that must fail now. */
export interface SpoiledTest {
  /** Its name, as the file has it. */
  readonly name: string
  /** The line of what can no longer hold, as it was. */
  readonly line: string
}

/** The replacement for a test's expectation. */
export interface Replacement extends SpoiledTest {
  readonly at: Part
}

export interface Spoiling extends Planting {
  /** The file before the change: a test that it has as well is left alone. */
  readonly before: string | null
}
