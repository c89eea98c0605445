import type { Snapshot } from './history.ts'

/**
 * A coder slot: `coder-001`. Its workspace is `workspaces/<slot>`, made once; the directory itself
 * is never replaced.
 */
export type Slot = string

export type SnapshotResult =
  | { readonly ok: true; readonly snapshot: Snapshot }
  | { readonly ok: false; readonly reason: string }

/**
 * What the snapshot that was to be kept under `ref` could not hold: it lies in `folder`, in
 * numbered folders, each under the path that it had.
 */
export interface SetAside {
  readonly ref: string
  readonly folder: string
}

/**
 * A place in a commit where a commit of another repository belongs; checkouts and workspaces have
 * an empty folder there.
 */
export interface Submodule {
  readonly path: string
  readonly commit: string
  /**
   * Absolute path of a folder with the files of that commit, for reading only; null when the user's
   * repository does not have it.
   */
  readonly folder: string | null
  /** What is missing, of it or of its own submodules, and the command that mends it. */
  readonly reason?: string
}

/**
 * The work trees on this machine: workspaces of coder slots and checkouts of the verifier. No
 * command of git here runs with the configuration, hooks or filters of a tree that an agent wrote.
 * A failure of git throws DrydockError `git_failed`.
 */
export interface WorkTrees {
  /**
   * Makes the mirror and `slots` directories where they are missing; what exists keeps its inode.
   */
  initialize(slots: readonly Slot[]): Promise<void>
  /** Absolute path of the slot's workspace. */
  path(slot: Slot): string
  /**
   * Makes the workspace equal to a fresh clone of `tip`, everything else removed; with `tree` (a
   * snapshot) its files are then those of the snapshot. Rewrites only what differs.
   */
  prepare(
    input: { readonly slot: Slot; readonly tip: string; readonly tree?: string },
    signal: AbortSignal,
  ): Promise<void>
  /**
   * Keeps the workspace's tracked and untracked, unignored files as a commit on `parents`, of which
   * there is at least one, under `ref`. What counts as tracked is what the first parent has. An
   * unchanged tree on the same parents reuses what `ref` or `last` has. Refused, with the reason,
   * for a nested `.git` and the like; with `setAside` those are moved out of the workspace into the
   * state instead, and all files when git itself refuses them, so that a workspace that is about to
   * be reset loses nothing.
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
  /** What was set aside for snapshots below `under`, in the same order. */
  setAside(under: string): Promise<readonly SetAside[]>
  /** Which of the paths (relative to the workspace) git ignores there. */
  ignored(slot: Slot, paths: readonly string[]): Promise<readonly string[]>
  /**
   * Moves the verifier's own clean checkout `name` to exactly `sha`, nothing else in it, and
   * returns its path.
   */
  checkout(name: string, sha: string, signal: AbortSignal): Promise<string>
  /**
   * The submodules of a commit of the mirror, with their files where the user has them locally;
   * submodules of submodules are in their place. Nothing is ever fetched, and nothing that the
   * commit itself says of its submodules is used.
   */
  submodules(sha: string, signal: AbortSignal): Promise<readonly Submodule[]>
  /**
   * Makes empty directories at `paths`, relative to `folder`, which is a workspace or checkout that
   * no sandbox works in meanwhile. It follows no link and replaces no file. Returns those that now
   * are real directories, also when they have been before.
   */
  makeMountPoints(folder: string, paths: readonly string[]): Promise<readonly string[]>
}
