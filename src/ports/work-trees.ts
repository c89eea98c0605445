import { posix } from 'node:path'
import type { OnProgress } from '../domain/progress.ts'
import type { Snapshot } from './history.ts'
import type { PlainMount } from './sandbox.ts'

/**
 * The name of a coder slot: `coder-001`. The workspace is `workspaces/<slot>`, a directory that is
 * made once and never replaced.
 */
export type Slot = string

export type SnapshotResult =
  | { readonly ok: true; readonly snapshot: Snapshot }
  | { readonly ok: false; readonly reason: string }

/**
 * Files that the snapshot under `ref` could not hold. They lie in numbered folders of `folder`,
 * each under its original path.
 */
export interface SetAside {
  readonly ref: string
  readonly folder: string
}

/**
 * A path in a commit that stands for a commit of another repository. Checkouts and workspaces have
 * an empty folder there.
 */
export interface Submodule {
  readonly path: string
  readonly commit: string
  /**
   * Absolute path of a read-only folder with the files of that commit; null when the user's
   * repository does not have them.
   */
  readonly folder: string | null
  /**
   * The missing part of the submodule, or of its own submodules, and the command that fetches it.
   */
  readonly reason?: string
}

/**
 * The work trees on this machine: workspaces of coder slots and checkouts of the verifier. No git
 * command here runs with the configuration, hooks or filters of a tree that an agent wrote. A
 * failure of git throws DrydockError `git_failed`.
 */
export interface WorkTrees {
  /**
   * Makes the mirror and the directories of `slots` where they are missing. Existing directories
   * keep their inodes.
   */
  initialize(slots: readonly Slot[]): Promise<void>
  /** The absolute path of the slot's workspace. */
  path(slot: Slot): string
  /**
   * The absolute path of the objects that git in the slot's workspace borrows. The folder is made
   * once and never replaced. A sandbox must show it read-only, as `workspaceMounts` does: other
   * workspaces may have links to the same files.
   */
  history(slot: Slot): string
  /** True if the slot's workspace exists, made by any process. A workspace is never removed. */
  isMade(slot: Slot): Promise<boolean>
  /**
   * Makes the workspace equal to a fresh clone of `tip` and removes everything else. With `tree`
   * (of a snapshot) its files are then those of the snapshot. Rewrites only files that differ.
   */
  prepare(
    input: {
      readonly slot: Slot
      readonly tip: string
      readonly tree?: string
      readonly onProgress?: OnProgress
    },
    signal: AbortSignal,
  ): Promise<void>
  /**
   * Commits the workspace's tracked files, and untracked files that git does not ignore, onto
   * `parents` (at least one), under `ref`. The first parent decides which files count as tracked.
   * An unchanged tree on the same parents reuses the commit of `ref` or `last`. Returns a reason
   * for a nested `.git` or another entry that git cannot hold. With `setAside` such entries are
   * moved out of the workspace into the state instead, and so are all files when git itself refuses
   * them. Resetting the workspace then loses nothing.
   */
  snapshot(
    input: {
      readonly slot: Slot
      readonly parents: readonly string[]
      readonly ref: string
      readonly last: string | null
      readonly message: string
      readonly setAside?: boolean
      readonly at: Date
    },
    signal: AbortSignal,
  ): Promise<SnapshotResult>
  /** The files set aside for snapshots below `under`, in the order of the snapshots. */
  setAside(under: string): Promise<readonly SetAside[]>
  /** Removes all files set aside for snapshots below each of `under`. */
  forgetSetAside(under: readonly string[]): Promise<void>
  /** The given paths, relative to the workspace, that git ignores there. */
  ignored(slot: Slot, paths: readonly string[]): Promise<readonly string[]>
  /**
   * Moves the verifier's own checkout `name` to exactly `sha`, with no other files, and returns a
   * path that leads to it. Nothing in the checkout reveals earlier commits: its `.git` is new, its
   * folder has a random name, and all files have one time, which depends on the tree.
   */
  checkout(name: string, sha: string, signal: AbortSignal): Promise<string>
  /**
   * The submodules of a commit of the mirror, with their files where the user has them locally.
   * Nested submodules are in their places. Nothing is ever fetched. The commit's own settings of
   * its submodules are not used.
   */
  submodules(sha: string, signal: AbortSignal): Promise<readonly Submodule[]>
  /**
   * Makes empty directories at `paths`, relative to `folder`, a workspace or checkout that no
   * sandbox uses in the meantime. Follows no link and replaces no file. New directories get the
   * times of their parent, which keeps its own. Returns the paths that are real directories now,
   * including those that existed before.
   */
  makeMountPoints(folder: string, paths: readonly string[]): Promise<readonly string[]>
}

/** A workspace on this machine, as `path` and `history` name its parts. */
export interface Workspace {
  readonly folder: string
  /** Left out for a folder whose git borrows no objects. */
  readonly history?: string
}

/**
 * Shows a workspace at a place. The objects that its git borrows appear beside the workspace under
 * their own name, as on the host, so that one relative path leads to them in both. These objects
 * are never writable: no process in a sandbox may change a file that others have links to.
 */
export function workspaceMounts(
  { folder, history }: Workspace,
  { at, access }: { readonly at: string; readonly access: PlainMount['access'] },
): readonly PlainMount[] {
  const workspace: PlainMount = { path: folder, at, access }
  if (history === undefined) return [workspace]
  return [workspace, { path: history, at: posix.join(posix.dirname(at), posix.basename(history)), access: 'read' }]
}
