export const ciServices = ['github', 'gitlab', 'forgejo'] as const

/** Forgejo covers Gitea, too: both run workflows in GitHub's format. */
export type CiService = (typeof ciServices)[number]

/**
 * The event of a pipeline, as its service reports it. Shas are full; nobody has checked yet that
 * the commits exist.
 */
export type CiEvent =
  | {
      /** A request to merge `head`. */
      readonly kind: 'change'
      readonly name: string
      readonly head: string
      /** Tip of the target branch: a sha, or the name of the branch at the remote. */
      readonly base: { readonly sha: string } | { readonly branch: string }
      /** The merge of head and base that the service may have made; null without one. */
      readonly merge: string | null
    }
  | {
      /** A branch or tag now points at `head`. */
      readonly kind: 'push'
      readonly name: string
      readonly head: string
      /** The previous tip; null for a new branch or tag, and where nothing was pushed. */
      readonly before: string | null
      /** The repository's default branch; null when the service does not say. */
      readonly defaultBranch: string | null
    }
