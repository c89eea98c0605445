export const ciServices = ['github', 'gitlab', 'forgejo'] as const

/** Forgejo stands for Gitea, too: both run workflows of GitHub's format. */
export type CiService = (typeof ciServices)[number]

/**
 * What a pipeline is about, as its service says it. Shas are full ones; nobody has looked yet
 * whether the commits are there.
 */
export type CiEvent =
  | {
      /** Somebody wants to merge `head`. */
      readonly kind: 'change'
      readonly name: string
      readonly head: string
      /** Tip of the branch that is to have it: a sha, or the name of the branch at the remote. */
      readonly base: { readonly sha: string } | { readonly branch: string }
      /** A merge of both that the service may have made; null without one. */
      readonly merge: string | null
    }
  | {
      /** A branch or tag is at `head` now. */
      readonly kind: 'push'
      readonly name: string
      readonly head: string
      /** Where it was before; null for a new one, and where nothing was pushed. */
      readonly before: string | null
      /** The repository's default branch; null when the service does not say. */
      readonly defaultBranch: string | null
    }
