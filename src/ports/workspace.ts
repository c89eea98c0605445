import type { Identity } from '../domain/identity.ts'
import type { Files } from './files.ts'
import type { GitReading, RunnerReplies } from './sandbox.ts'

/** A coder slot: `coder-001`. Its workspace is `workspaces/<slot>`, made once; the directory itself is never replaced. */
export type Slot = string

export interface Snapshot {
  readonly sha: string
  readonly tree: string
}

export type SnapshotResult =
  | { readonly ok: true; readonly snapshot: Snapshot }
  | { readonly ok: false; readonly reason: string }

/** A commit that a hidden ref keeps. */
export interface HiddenCommit {
  readonly ref: string
  readonly sha: string
  readonly tree: string
  /** Its date, ISO 8601. */
  readonly at: string
  /** The first line of its message. */
  readonly subject: string
}

/** What the snapshot that was to be kept under `ref` could not hold: it lies in `folder`, in numbered folders, each under the path that it had. */
export interface SetAside {
  readonly ref: string
  readonly folder: string
}

export interface ChangedFile {
  readonly path: string
  readonly status: 'added' | 'modified' | 'deleted' | 'renamed'
  /** The old path of one that was renamed. */
  readonly from?: string
  /** It was renamed, and its content is no longer all that of the old path: a likeness that git has found. */
  readonly edited?: true
}

/** A place in a commit where a commit of another repository belongs; checkouts and workspaces have an empty folder there. */
export interface Submodule {
  readonly path: string
  readonly commit: string
  /** Absolute path of a folder with the files of that commit, for reading only; null when the user's repository does not have it. */
  readonly folder: string | null
  /** What is missing, of it or of its own submodules, and the command that mends it. */
  readonly reason?: string
}

export type ApplyResult =
  | { readonly applied: true; readonly files: readonly string[] }
  | { readonly applied: false; readonly conflicts: readonly string[] }

export interface CommitInput {
  readonly tree: string
  readonly parents: readonly string[]
  readonly message: string
  /** Hidden ref that keeps it, below `refs/drydock/`. */
  readonly ref: string
  /** Drydock when it is left out. The committer is always Drydock. */
  readonly author?: Identity | null
  /** Author and committer date: the same input gives the same commit. */
  readonly at: Date
}

export type MergeResult =
  | { readonly clean: true; readonly tree: string }
  | {
      readonly clean: false
      /** With conflict markers where git can write them: a binary file has none, nor a file that one side deleted. */
      readonly tree: string
      /** Every path that git calls conflicted, sorted; some are not in `tree`. */
      readonly conflicts: readonly string[]
      /** Git's words on each conflict, a line each; of any length. */
      readonly explanation: string
    }

/** Work of the user that no commit has. */
export interface Uncommitted {
  readonly tracked: readonly string[]
  readonly untracked: readonly string[]
}

/** Runs one git command in a sandbox, and rejects when there is none. */
export type ReadGit = (reading: GitReading, signal: AbortSignal) => Promise<RunnerReplies['git']>

/** Reads of commits of the mirror: objects only. */
export type MirrorReads = Pick<Workspaces, 'committed' | 'diff' | 'isAncestor'>

/**
 * The user's repository, its mirror, the coder slots and the verifier's checkouts. No command of git here ever runs with the
 * configuration, hooks or filters of a tree that an agent wrote. A git failure throws DrydockError `git_failed`.
 */
export interface OwnBranch {
  readonly name: string
  readonly sha: string
  /** In some work tree of the user's. */
  readonly checkedOut: boolean
  /** A branch of another name, a tag or a remote branch that has its commit; null when none has. */
  readonly elsewhere: string | null
}

export interface Workspaces {
  /** Makes the mirror and `slots` directories where they are missing; what exists keeps its inode. */
  initialize(slots: readonly Slot[]): Promise<void>
  /** Fetches heads and tags of the user's repository into the mirror, under its lock. */
  updateMirror(signal: AbortSignal): Promise<void>
  /** Branch and commit that work starts from: `name`, or what is checked out (`branch` null when HEAD is detached). DrydockError `git_too_old`, `no_commits`, `unknown_revision`. */
  target(name: string | null): Promise<{ readonly branch: string | null; readonly sha: string }>
  /** Whom the commits that are handed over are by; null for Drydock. DrydockError `bad_config` when that shall be the user and git knows none. */
  author(): Promise<Identity | null>
  /** A file of a commit of the user's repository, null when absent; at most `maxBytes` of it. */
  fileAt(sha: string, path: string, maxBytes: number): Promise<string | null>
  /** Names of branches of the user's repository that start with `prefix`. */
  branches(prefix: string): Promise<readonly string[]>
  /** The branches of the user's repository below `drydock/`, and what stands against the removal of each. */
  ownBranches(): Promise<readonly OwnBranch[]>
  /** Removes a branch of the user's repository that is still at this commit. Runs no hooks. False when it has moved, or is checked out. */
  removeBranch(branch: OwnBranch): Promise<boolean>
  /** Absolute path of the slot's workspace. */
  path(slot: Slot): string
  /**
   * Makes the workspace equal to a fresh clone of `tip`, everything else removed; with `tree` (a snapshot) its files are then those of the
   * snapshot. Rewrites only what differs.
   */
  prepare(
    input: { readonly slot: Slot; readonly tip: string; readonly tree?: string },
    signal: AbortSignal,
  ): Promise<void>
  /**
   * Keeps the workspace's tracked and untracked, unignored files as a commit on `parents`, of which there is at least one, under `ref`. What counts as
   * tracked is what the first parent has. An unchanged tree on the same parents reuses what `ref` or `last` has. Refused, with the reason, for a nested
   * `.git` and the like; with `setAside` those are moved out of the workspace into the state instead, and all files when git itself refuses them, so that a
   * workspace that is about to be reset loses nothing.
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
  commit(input: CommitInput): Promise<string>
  /** What hidden refs below `under` keep (`refs/drydock/…`, with a slash at its end), numbers in their order; nothing while there is no mirror. */
  hidden(under: string): Promise<readonly HiddenCommit[]>
  /** What was set aside for snapshots below `under`, in the same order. */
  setAside(under: string): Promise<readonly SetAside[]>
  /** Drops hidden refs, and all that was set aside for snapshots below `setAside`. A commit that nothing else keeps goes with a later `tidy`. */
  forget(
    gone: { readonly refs: readonly string[]; readonly setAside: readonly string[] },
    signal: AbortSignal,
  ): Promise<void>
  /** What differs from HEAD in the user's working tree, as paths; ignored files are not named. */
  uncommitted(): Promise<Uncommitted>
  /** The user's working tree, untracked and unignored files included, as a commit on HEAD; HEAD itself when nothing differs. */
  snapshotUserTree(ref: string, at: Date): Promise<Snapshot>
  tree(sha: string): Promise<string>
  /**
   * A tree of the mirror: that of `base`, with the files at `paths` as `from` has them, and with
   * `files` of this content. A path that `from` does not have is gone.
   */
  treeWith(input: {
    readonly base: string
    readonly from: string
    readonly paths: readonly string[]
    readonly files?: readonly { readonly path: string; readonly content: string | Uint8Array }[]
  }): Promise<string>
  /** What git knows the content of each path of a commit by: mode, type and object; null for one that is not there. */
  contents(sha: string, paths: readonly string[]): Promise<Readonly<Record<string, string | null>>>
  /** Names of what a commit has in a folder, itself not in it; empty where nothing is at that path, null for what is no folder. */
  namesIn(sha: string, folder: string): Promise<readonly string[] | null>
  /** Unified diff between two commits of the mirror, binary files named only. DrydockError `not_found` for a commit that is no longer kept. */
  diff(input: {
    readonly from: string
    readonly to: string
    readonly path?: string
    readonly maxBytes: number
  }): Promise<{ readonly text: string; readonly truncated: boolean }>
  changedFiles(from: string, to: string): Promise<readonly ChangedFile[]>
  /** Which of the paths (relative to the workspace) git ignores there. */
  ignored(slot: Slot, paths: readonly string[]): Promise<readonly string[]>
  /** Moves the verifier's own clean checkout `name` to exactly `sha`, nothing else in it, and returns its path. */
  checkout(name: string, sha: string, signal: AbortSignal): Promise<string>
  /**
   * The submodules of a commit of the mirror, with their files where the user has them locally; submodules of submodules are in their place. Nothing is
   * ever fetched, and nothing that the commit itself says of its submodules is used.
   */
  submodules(sha: string, signal: AbortSignal): Promise<readonly Submodule[]>
  /** How many files of a commit in the mirror are pointers to content in Git LFS; they stay pointers everywhere. */
  lfsPointers(sha: string): Promise<number>
  /**
   * Makes empty directories at `paths`, relative to `folder`, which is a workspace or checkout that no sandbox works in meanwhile. It follows no link and
   * replaces no file. Returns those that now are real directories, also when they have been before.
   */
  makeMountPoints(folder: string, paths: readonly string[]): Promise<readonly string[]>
  /**
   * Merges two commits of the mirror, renames found, without a work tree; the tree is in the mirror, no commit is made. The same commits give the same
   * result. What the trees' attributes say of merging (`union`, `binary`) does not apply. Commits without common history: `git_failed`.
   */
  merge(input: { readonly ours: string; readonly theirs: string }): Promise<MergeResult>
  /** Those of the paths, in their order, whose file in the commit has a line that starts with `<<<<<<< ` or `>>>>>>> `. */
  conflictMarkers(sha: string, paths: readonly string[]): Promise<readonly string[]>
  /** Whether `ancestor` is `of` or in its history; also false for what is no commit of the mirror. */
  isAncestor(ancestor: string, of: string): Promise<boolean>
  /**
   * The files of a commit of the mirror, as they are stored. Links are followed inside of the tree; files are regular files, as `list` and `search` see
   * them. An absolute path is `outside`. Globs are git's, with braces; patterns are Perl's regular expressions, or POSIX extended ones with a git without those.
   */
  committed(sha: string): Files
  /** The same reads of the mirror by the git of a sandbox, which shows it at `mirror`. */
  inside(mirror: string, read: ReadGit): MirrorReads
  /** Packs what is stored of history and drops what nothing refers to. Hidden refs, and what they keep, stay. */
  tidy(signal: AbortSignal): Promise<void>
  /**
   * Sets `branch` of the user's repository to `sha`: with `from` null it must be new, else at exactly that commit. Idempotent: a branch that is at `sha`
   * already is left alone. Runs no hooks and touches no files. DrydockError `git_failed` when the branch is anywhere else, or would be moved while it is checked
   * out in a work tree of the user's.
   */
  publish(branch: string, sha: string, from: string | null): Promise<void>
  /**
   * Makes `text`, byte for byte, the one note of a commit of the mirror in `refs/notes/drydock`, of the mirror and of the user's repository, which gets the commit with it
   * and is left with all other notes that it has. `at` dates it. Idempotent: a note that is there already is left alone. Runs no hooks. DrydockError `git_failed`.
   */
  note(input: { readonly sha: string; readonly text: string; readonly at: Date }): Promise<void>
  /** Puts the difference from `base` to `sha` into the user's working tree, uncommitted; all of it or, when a local change would be overwritten, none. Idempotent. */
  applyToUserTree(base: string, sha: string): Promise<ApplyResult>
}
