import type { Identity } from '../domain/identity.ts'
import type { Files } from './files.ts'
import type { GitReading, RunnerReplies } from './sandbox.ts'

export interface Snapshot {
  readonly sha: string
  readonly tree: string
}

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

export interface ChangedFile {
  readonly path: string
  readonly status: 'added' | 'modified' | 'deleted' | 'renamed'
  /** The old path of one that was renamed. */
  readonly from?: string
  /**
   * It was renamed, and its content is no longer all that of the old path: a likeness that git has
   * found.
   */
  readonly edited?: true
}

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
      /**
       * With conflict markers where git can write them: a binary file has none, nor a file that one
       * side deleted.
       */
      readonly tree: string
      /** Every path that git calls conflicted, sorted; some are not in `tree`. */
      readonly conflicts: readonly string[]
      /** Git's words on each conflict, a line each; of any length. */
      readonly explanation: string
    }

/** Runs one git command in a sandbox, and rejects when there is none. */
export type ReadGit = (reading: GitReading, signal: AbortSignal) => Promise<RunnerReplies['git']>

/** Reads of commits of the mirror: objects only. */
export type MirrorReads = Pick<History, 'committed' | 'diff' | 'isAncestor'>

/**
 * Commits and trees of the mirror, the state's own copy of the repository. Only objects and refs
 * are touched, no work tree. A failure of git throws DrydockError `git_failed`.
 */
export interface History {
  commit(input: CommitInput): Promise<string>
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
  /**
   * Unified diff between two commits of the mirror, binary files named only. DrydockError
   * `not_found` for a commit that is no longer kept.
   */
  diff(input: {
    readonly from: string
    readonly to: string
    readonly path?: string
    readonly maxBytes: number
  }): Promise<{ readonly text: string; readonly truncated: boolean }>
  changedFiles(from: string, to: string): Promise<readonly ChangedFile[]>
  /**
   * What git knows the content of each path of a commit by: mode, type and object; null for one
   * that is not there.
   */
  contents(sha: string, paths: readonly string[]): Promise<Readonly<Record<string, string | null>>>
  /**
   * Names of what a commit has in a folder, itself not in it; empty where nothing is at that path,
   * null for what is no folder.
   */
  namesIn(sha: string, folder: string): Promise<readonly string[] | null>
  /**
   * Merges two commits of the mirror, renames found, without a work tree; the tree is in the
   * mirror, no commit is made. The same commits give the same result. What the trees' attributes
   * say of merging (`union`, `binary`) does not apply. Commits without common history:
   * `git_failed`.
   */
  merge(input: { readonly ours: string; readonly theirs: string }): Promise<MergeResult>
  /**
   * Those of the paths, in their order, whose file in the commit has a line that starts with
   * `<<<<<<< ` or `>>>>>>> `.
   */
  conflictMarkers(sha: string, paths: readonly string[]): Promise<readonly string[]>
  /**
   * Whether `ancestor` is `of` or in its history; also false for what is no commit of the mirror.
   */
  isAncestor(ancestor: string, of: string): Promise<boolean>
  /**
   * The files of a commit of the mirror, as they are stored. Links are followed inside of the tree;
   * files are regular files, as `list` and `search` see them. An absolute path is `outside`. Globs
   * are git's, with braces; patterns are Perl's regular expressions, or POSIX extended ones with a
   * git without those.
   */
  committed(sha: string): Files
  /** The same reads of the mirror by the git of a sandbox, which shows it at `mirror`. */
  inside(mirror: string, read: ReadGit): MirrorReads
  /**
   * What hidden refs below `under` keep (`refs/drydock/…`, with a slash at its end), numbers in
   * their order; nothing while there is no mirror.
   */
  hidden(under: string): Promise<readonly HiddenCommit[]>
  /**
   * Drops hidden refs, and all that was set aside for snapshots below `setAside`. A commit that
   * nothing else keeps goes with a later `tidy`.
   */
  forget(
    gone: { readonly refs: readonly string[]; readonly setAside: readonly string[] },
    signal: AbortSignal,
  ): Promise<void>
  /**
   * How many files of a commit in the mirror are pointers to content in Git LFS; they stay pointers
   * everywhere.
   */
  lfsPointers(sha: string): Promise<number>
  /**
   * Packs what is stored of history and drops what nothing refers to. Hidden refs, and what they
   * keep, stay.
   */
  tidy(signal: AbortSignal): Promise<void>
}
