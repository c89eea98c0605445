/**
 * The user's request. The request never changes while work is in progress, and every prompt has all
 * of it.
 */
export interface Task {
  readonly text: string
  readonly constraints: readonly string[]
  readonly non_goals: readonly string[]
  /** Criteria named with the request; a plan adds its own. */
  readonly acceptance_criteria?: readonly string[]
  /** Files that the user named as a place to look first. */
  readonly files: readonly string[]
}
