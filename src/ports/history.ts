import type { Identity } from '../domain/identity.ts'
import type { Files } from './files.ts'
import type { GitReading, RunnerReplies } from './sandbox.ts'

export interface Snapshot {
  readonly sha: string
  readonly tree: string
}

/** Lines of one file. */
export interface LineCount {
  readonly added: number
  readonly removed: number
}

/** A commit that a hidden ref keeps. */
export interface HiddenCommit {
  readonly ref: string
  readonly sha: string
  readonly tree: string
  /** The first parent; null for a commit without one. */
  readonly parent: string | null
  /** Date of the commit, ISO 8601. */
  readonly at: string
  /** The first line of the message. */
  readonly subject: string
}

export interface ChangedFile {
  readonly path: string
  readonly status: 'added' | 'modified' | 'deleted' | 'renamed'
  /** The old path of a renamed file. */
  readonly from?: string
  /** Set when a renamed file also changed: git matched the two paths by similarity. */
  readonly edited?: true
}

export interface CommitInput {
  readonly tree: string
  readonly parents: readonly string[]
  readonly message: string
  /** The hidden ref that keeps the commit, below `refs/drydock/`. */
  readonly ref: string
  /**
   * The author; Drydock by default. The committer is Drydock, except that a signed commit has its
   * author.
   */
  readonly author?: Identity | null
  /**
   * Set for a commit that is handed over: it is signed if the configuration names a key. Throws
   * DrydockError `signing_failed`.
   */
  readonly signed?: true
  /**
   * The author and committer date. Equal input gives an equal commit, except for signatures of
   * ECDSA keys.
   */
  readonly at: Date
}

/** Selects the files to read: at most `files` of them, with `bytes` in total. */
export interface WantedTexts {
  readonly isWanted: (path: string) => boolean
  readonly files: number
  readonly bytes: number
  /** Most bytes of one file; larger files are left out. */
  readonly fileBytes: number
  readonly signal: AbortSignal
}

export interface CommitTexts {
  /** All regular files of the commit, in git's order. */
  readonly paths: readonly string[]
  /** Texts by path, without binary files. */
  readonly texts: ReadonlyMap<string, string>
  /** True if no wanted file was left out for the number of files or their total bytes. */
  readonly whole: boolean
}

export type MergeResult =
  /**
   * A tree with conflict markers where git can write them. A binary file has none, nor has a file
   * that one side deleted.
   */
  | { readonly clean: true; readonly tree: string }
  | {
      readonly clean: false
      /**
       * A tree with conflict markers where git can write them: a binary file has none, nor has a
       * file that one side deleted.
       */
      readonly tree: string
      /** Every path that git calls conflicted, sorted. Some are not in `tree`. */
      readonly conflicts: readonly string[]
      /** Git's explanation of each conflict, one per line, of any length. */
      readonly explanation: string
    }

/** Runs one git command in a sandbox. Rejects when no sandbox is available. */
export type ReadGit = (reading: GitReading, signal: AbortSignal) => Promise<RunnerReplies['git']>

/** Reads of commits in the mirror that need only its objects. */
export type MirrorReads = Pick<History, 'committed' | 'diff' | 'isAncestor'>

/**
 * Commits and trees of the mirror, which is the state's own copy of the repository. Only objects
 * and refs are touched, never a work tree. A failure of git throws DrydockError `git_failed`.
 */
export interface History {
  commit(input: CommitInput): Promise<string>
  /**
   * Makes a commit that differs from the commit `like` in its tree alone: parents, author, dates
   * and message are equal. `ref` keeps the commit, as in `commit`.
   */
  commitLike(input: { readonly like: string; readonly tree: string; readonly ref: string }): Promise<string>
  tree(sha: string): Promise<string>
  /**
   * Makes a tree in the mirror: the tree of `base`, with the files at `paths` taken from `from`,
   * and with `files` of the given content. A path that `from` does not have is removed, and so is
   * each of `without`. Paths are in the form that git lists.
   */
  treeWith(input: {
    readonly base: string
    readonly from: string
    readonly paths: readonly string[]
    readonly files?: readonly { readonly path: string; readonly content: string | Uint8Array }[]
    readonly without?: readonly string[]
  }): Promise<string>
  /**
   * Unified diff between two commits of the mirror. Binary files are only named. Throws
   * DrydockError `not_found` for a commit that is no longer kept.
   */
  diff(input: {
    readonly from: string
    readonly to: string
    readonly path?: string
    /** A folder name to put before each path. */
    readonly folder?: string
    readonly maxBytes: number
  }): Promise<{ readonly text: string; readonly truncated: boolean }>
  changedFiles(from: string, to: string): Promise<readonly ChangedFile[]>
  /**
   * Lines that each changed file has gained and lost, by its new path; null for a binary file.
   */
  lineCounts(from: string, to: string): Promise<ReadonlyMap<string, LineCount | null>>
  /**
   * Git's identity of the content at each path of a commit: mode, type and object. Null for a path
   * that does not exist.
   */
  contents(sha: string, paths: readonly string[]): Promise<Readonly<Record<string, string | null>>>
  /**
   * Names of the entries of a folder of a commit. Empty when the path does not exist, null when it
   * is not a folder.
   */
  namesIn(sha: string, folder: string): Promise<readonly string[] | null>
  /** Lists a commit's regular files and reads many of them at once. */
  texts(sha: string, wanted: WantedTexts): Promise<CommitTexts>
  /**
   * Merges two commits of the mirror without a work tree, and detects renames. The tree is stored
   * in the mirror; no commit is made. Equal commits give an equal result. Merge attributes of the
   * trees (`union`, `binary`) are ignored. Throws `git_failed` for commits without common history.
   */
  merge(input: { readonly ours: string; readonly theirs: string }): Promise<MergeResult>
  /**
   * The paths, in the given order, whose file in the commit has a line that starts with `<<<<<<< `
   * or `>>>>>>> `.
   */
  conflictMarkers(sha: string, paths: readonly string[]): Promise<readonly string[]>
  /**
   * True if `ancestor` is `of` or in its history. False when either is not a commit of the mirror.
   */
  isAncestor(ancestor: string, of: string): Promise<boolean>
  /**
   * The files of a commit of the mirror, as they are stored. Links are followed inside the tree.
   * `list` and `search` see regular files only. An absolute path is `outside`. Globs are git's,
   * with braces. Patterns are Perl's regular expressions, or POSIX extended ones if this git lacks
   * Perl's.
   */
  committed(sha: string): Files
  /** The reads of a mirror by git in a sandbox that shows the mirror at `mirror`. */
  inside(mirror: string, read: ReadGit): MirrorReads
  /**
   * The commits that hidden refs below `under` keep (`refs/drydock/…`, ending in a slash), with
   * numbers in numeric order. Empty while the mirror does not exist.
   */
  hidden(under: string): Promise<readonly HiddenCommit[]>
  /** Drops hidden refs. A later `tidy` removes commits that nothing else keeps. */
  forget(refs: readonly string[], signal: AbortSignal): Promise<void>
  /**
   * The number of files of a commit that are pointers to content in Git LFS. Pointers are never
   * replaced by their content.
   */
  lfsPointers(sha: string): Promise<number>
  /**
   * Packs the stored history and drops objects that nothing refers to. Hidden refs and their
   * commits stay.
   */
  tidy(signal: AbortSignal): Promise<void>
}
