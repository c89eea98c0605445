import type { Tone } from './screen.ts'

/** A line in the record of events. */
export interface Milestone {
  readonly text: string
  readonly tone: Tone
  /** Further details, for `log --verbose`. */
  readonly detail?: string
  /** 0 for states, 1 for events within a state. */
  readonly depth: 0 | 1
  /** The story's id, if the Run has several stories. */
  readonly story?: string
  /** Lines to print below it. */
  readonly notes?: readonly string[]
  /** A text that nobody may miss, printed in full. */
  readonly more?: string
}
