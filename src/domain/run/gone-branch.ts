/** A result whose branch was deleted. */
export interface GoneBranch {
  /** True if the branch was landed, or another branch or a tag has its commit, as after a merge. */
  readonly taken: boolean
  readonly message: string
  readonly todo: string
  /** The command line in `todo`; null where there is none for a shell. */
  readonly command: string | null
}
