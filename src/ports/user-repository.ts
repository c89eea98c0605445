import type { Identity } from '../domain/identity.ts'
import type { Snapshot } from './history.ts'

/** A branch of the user's repository below `drydock/`. */
export interface OwnBranch {
  readonly name: string
  readonly sha: string
  /** In some work tree of the user's. */
  readonly checkedOut: boolean
  /** A branch of another name, a tag or a remote branch that has its commit; null when none has. */
  readonly elsewhere: string | null
}

/** Work of the user that no commit has. */
export interface Uncommitted {
  readonly tracked: readonly string[]
  readonly untracked: readonly string[]
}

export type ApplyResult =
  | { readonly applied: true; readonly files: readonly string[] }
  | { readonly applied: false; readonly conflicts: readonly string[] }

/**
 * The repository of the user, on the user's machine. A failure of git throws DrydockError
 * `git_failed`.
 */
export interface UserRepository {
  /** Fetches heads and tags of the user's repository into the mirror, under its lock. */
  updateMirror(signal: AbortSignal): Promise<void>
  /**
   * Branch and commit that work starts from: `name`, or what is checked out (`branch` null when
   * HEAD is detached). DrydockError `git_too_old`, `no_commits`, `unknown_revision`.
   */
  target(name: string | null): Promise<{ readonly branch: string | null; readonly sha: string }>
  /**
   * Whom the commits that are handed over are by; null for Drydock. DrydockError `bad_config` when
   * that shall be the user and git knows none.
   */
  author(): Promise<Identity | null>
  /** A file of a commit of the user's repository, null when absent; at most `maxBytes` of it. */
  fileAt(sha: string, path: string, maxBytes: number): Promise<string | null>
  /** Names of branches of the user's repository that start with `prefix`. */
  branches(prefix: string): Promise<readonly string[]>
  /**
   * The branches of the user's repository below `drydock/`, and what stands against the removal of
   * each.
   */
  ownBranches(): Promise<readonly OwnBranch[]>
  /**
   * Removes a branch of the user's repository that is still at this commit. Runs no hooks. False
   * when it has moved, or is checked out.
   */
  removeBranch(branch: OwnBranch): Promise<boolean>
  /** What differs from HEAD in the user's working tree, as paths; ignored files are not named. */
  uncommitted(): Promise<Uncommitted>
  /**
   * The user's working tree, untracked and unignored files included, as a commit on HEAD; HEAD
   * itself when nothing differs.
   */
  snapshotUserTree(ref: string, at: Date): Promise<Snapshot>
  /**
   * Puts the difference from `base` to `sha` into the user's working tree, uncommitted; all of it
   * or, when a local change would be overwritten, none. Idempotent.
   */
  applyToUserTree(base: string, sha: string): Promise<ApplyResult>
}
