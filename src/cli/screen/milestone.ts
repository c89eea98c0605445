import type { Tone } from './screen.ts'

/** A line of the record of what happened. */
export interface Milestone {
  readonly text: string
  readonly tone: Tone
  /** More about it, for those who look closely. */
  readonly detail?: string
  /** 0 for states, 1 for what happens in them. */
  readonly depth: 0 | 1
  /** The story that it is about, where there are several. */
  readonly story?: string
  /** One line each, below it. */
  readonly notes?: readonly string[]
  /** What nobody may miss, in full. */
  readonly more?: string
}
