/** The user's request. It never changes while it is worked on, and all of it is in every prompt. */
export interface Task {
  readonly text: string
  readonly constraints: readonly string[]
  readonly non_goals: readonly string[]
  /** What a story of a spec is accepted by; a task's plan names its own. */
  readonly acceptance_criteria?: readonly string[]
  /** Files that the user named as a place to look first. */
  readonly files: readonly string[]
}
