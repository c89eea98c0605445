import type { RunConfig } from './run-config.ts'

/** A repository that a Run works on. */
export interface NamedRepository {
  /** Unique in the Run. */
  readonly name: string
  /** The real path of the top of its work tree. */
  readonly path: string
  /** Where it was cloned from; left out for one that the user has on this machine. */
  readonly url?: string
}

/** A further repository of a Run; pinned when the Run starts, but for `tip`. */
export interface RunRepository extends NamedRepository {
  readonly base: string
  /** The last commit that was merged and verified: the base until a story is merged. */
  readonly tip: string
  /** What its base commit says of its verification, with the bounds of the Run. */
  readonly config: RunConfig
}

/** What came of one repository of a Run. */
export interface RepositoryResult extends NamedRepository {
  readonly base: string | null
  /** What was merged and verified last; null where nothing was. */
  readonly sha: string | null
  /** The branch that is at `sha`; null where none was moved. */
  readonly branch: string | null
}

/** The move of one branch at the end of a Run over several repositories. */
export interface Landing {
  /** The name of a further repository; null for the Run's own. */
  readonly repository: string | null
  readonly sha: string
  /** Whether the branch is there. */
  readonly moved: boolean
}
