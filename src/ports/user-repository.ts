import type { Identity } from '../domain/identity.ts'
import type { OnProgress } from '../domain/progress.ts'
import type { CommitRanges } from './commit-ranges.ts'
import type { Files } from './files.ts'
import type { Snapshot } from './history.ts'

/** A branch of the user's repository below `drydock/`. */
export interface OwnBranch {
  readonly name: string
  readonly sha: string
  /** True if a work tree of the user has the branch checked out. */
  readonly checkedOut: boolean
  /** Another branch, a tag or a remote branch that contains its commit; null when there is none. */
  readonly elsewhere: string | null
}

/** Paths of the user's work that no commit has. */
export interface UncommittedPaths {
  readonly tracked: readonly string[]
  readonly untracked: readonly string[]
}

/** The commits of HEAD and the branches in the user's repository. */
export interface UserRefs {
  /** The commit that is checked out; null before the first one. */
  readonly head: string | null
  readonly branches: readonly string[]
}

/** The beginning of a file, and its size in bytes. */
export interface CommittedBytes {
  readonly bytes: Buffer
  readonly size: number
}

export type ApplyResult =
  | { readonly applied: true; readonly files: readonly string[] }
  | {
      readonly applied: false
      readonly conflicts: readonly string[]
      /** Files to delete that a sparse checkout leaves out. */
      readonly leftOut?: readonly string[]
    }

/**
 * The user's repository, on the user's machine. A failure of git throws DrydockError `git_failed`.
 */
export interface UserRepository extends CommitRanges {
  /**
   * Fetches heads, tags and HEAD of the user's repository into the mirror, under the mirror's lock.
   * Returns what the repository has.
   */
  updateMirror(signal: AbortSignal, onProgress?: OnProgress): Promise<UserRefs>
  /**
   * The branch and commit that work starts from: `name`, or the checked-out commit (`branch` is
   * null when HEAD is detached). Throws DrydockError `git_too_old`, `no_commits` or
   * `unknown_revision`.
   */
  target(name: string | null): Promise<{ readonly branch: string | null; readonly sha: string }>
  /** True if the work tree has something at this path, committed or not. */
  has(path: string): Promise<boolean>
  /**
   * The commit of `target`, without a fetch: for callers that only read in the user's repository.
   */
  commitOf(name: string | null): Promise<string>
  /**
   * The author of handed-over commits; null for Drydock. Throws DrydockError `bad_config` when the
   * author must be the user and git knows no identity.
   */
  author(): Promise<Identity | null>
  /**
   * At most `maxBytes` of a file of a commit in the user's repository; null when the file is
   * absent.
   */
  fileAt(sha: string, path: string, maxBytes: number): Promise<string | null>
  /**
   * At most `maxBytes` of each of these files of a commit, all read at once. `not_a_file` for a
   * link, a folder, and any path behind a link.
   */
  filesAt(
    sha: string,
    paths: readonly string[],
    maxBytes: number,
  ): Promise<readonly (CommittedBytes | 'absent' | 'not_a_file')[]>
  /** The files and links of a commit below these folders, up to a limit. Links are not followed. */
  entriesBelow(
    sha: string,
    folders: readonly string[],
  ): Promise<readonly { readonly path: string; readonly isLink: boolean }[]>
  /** The files of a commit, read as `History.committed` reads those of the mirror. */
  committed(sha: string): Files
  /**
   * Copies a commit that a client of a hub has pushed from the mirror into the user's repository.
   * Does nothing when the repository has it, or the mirror lacks it. Throws DrydockError
   * `git_failed`.
   */
  takeBack(sha: string): Promise<void>
  /**
   * The first branch, tag or remote branch of the user's repository that has the commit; null
   * without one, or without the commit.
   */
  holderOf(sha: string): Promise<string | null>
  /** Names of the branches of the user's repository that start with `prefix`. */
  branches(prefix: string): Promise<readonly string[]>
  /**
   * The branches of the user's repository below `drydock/`, with the reasons against removing each.
   */
  ownBranches(): Promise<readonly OwnBranch[]>
  /**
   * Removes a branch of the user's repository if it is still at this commit. Runs no hooks. Returns
   * false when the branch has moved or is checked out.
   */
  removeBranch(branch: OwnBranch): Promise<boolean>
  /**
   * The folders, or patterns, that a sparse checkout limits the user's working tree to; null for a
   * full checkout.
   */
  sparseCheckout(): Promise<readonly string[] | null>
  /** Paths that differ from HEAD in the user's working tree, without ignored files. */
  uncommitted(): Promise<UncommittedPaths>
  /**
   * Commits the user's working tree onto HEAD, including untracked files that are not ignored.
   * Returns HEAD itself when nothing differs.
   */
  snapshotUserTree(ref: string, at: Date): Promise<Snapshot>
  /**
   * Applies the difference from `base` to `sha` to the user's working tree, uncommitted. Applies
   * nothing when a local change would be overwritten. Idempotent.
   */
  applyToUserTree(base: string, sha: string): Promise<ApplyResult>
}
