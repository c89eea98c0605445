/** A result whose branch was deleted. */
export interface GoneBranch {
  /** It was landed, or another branch or a tag has its commit, as after a merge. */
  readonly taken: boolean
  readonly message: string
  readonly todo: string
  /** The command line that `todo` names; null where it names none for a shell. */
  readonly command: string | null
}
