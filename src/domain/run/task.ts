/** The user's request. It never changes while it is worked on, and all of it is in every prompt. */
export interface Task {
  readonly text: string
  readonly constraints: readonly string[]
  readonly non_goals: readonly string[]
  /** Ways to tell that it is done, named when it was asked for; a plan adds its own. */
  readonly acceptance_criteria?: readonly string[]
  /** Files that the user named as a place to look first. */
  readonly files: readonly string[]
}
