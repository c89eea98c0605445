import type { RunConfig } from './run-config.ts'

/** A repository that a Run works on. */
export interface NamedRepository {
  /** A name that is unique in the Run. */
  readonly name: string
  /** The real path of the top of the repository's work tree. */
  readonly path: string
  /** The URL of the clone; left out for a repository that the user has on this machine. */
  readonly url?: string
}

/** A further repository of a Run; pinned when the Run starts, except for `tip`. */
export interface RunRepository extends NamedRepository {
  readonly base: string
  /** The last commit that was merged and verified: the base until a story is merged. */
  readonly tip: string
  /** The verification settings of the repository's base commit, with the bounds of the Run. */
  readonly config: RunConfig
}

/** The result in one repository of a Run. */
export interface RepositoryResult extends NamedRepository {
  readonly base: string | null
  /** The last merged and verified commit; null without one. */
  readonly sha: string | null
  /** The branch that is at `sha`; null where none was moved. */
  readonly branch: string | null
}

/** The move of one branch at the end of a Run over several repositories. */
export interface Landing {
  /** The name of a further repository; null for the Run's own. */
  readonly repository: string | null
  readonly sha: string
  /** True once the branch has been moved. */
  readonly moved: boolean
}
