/** What became of a result whose branch was deleted. */
export interface GoneBranch {
  /** It is in what is checked out, as after a merge. */
  readonly taken: boolean
  readonly message: string
  readonly todo: string
}
