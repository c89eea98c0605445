import type { GitPorts } from '../../../src/adapters/git/git-ports.ts'

/** The content of a regular file, a link's target, or an executable. */
export type Content = string | { readonly link: string } | { readonly executable: string }
/** Files by path; null removes one. */
export type Files = Readonly<Record<string, Content | null>>
/** Files by path, sorted. */
export type FileContents = Readonly<Record<string, Content>>

/** The ports of git that have contracts. */
export type ContractPorts = Pick<GitPorts, 'history' | 'workTrees' | 'userRepository' | 'publisher'>

/** The actions of users with their own git. */
export interface User {
  /** The top of the repository, which is a folder for `write` and `shown`. */
  readonly path: string
  /** Commits everything in the work tree; returns the commit. */
  commitAll(message?: string): string
  /** Makes a commit of the same tree on these parents, without a branch. */
  commitTree(of: string, parents: readonly string[]): string
  branch(name: string, at?: string): void
  removeBranch(name: string): void
  tag(name: string, at?: string): void
  removeTag(name: string): void
  /** Checks out a branch, or a commit without a branch. */
  switchTo(name: string): void
  /** The commit of a name; null if there is none. */
  at(name: string): string | null
  /** True if the work tree equals the commit that is checked out. */
  isClean(): boolean
  /** All refs by full name, without notes. */
  refs(): Readonly<Record<string, string>>
  /** Drydock's notes by commit. */
  notes(): Readonly<Record<string, string>>
  writeNote(sha: string, text: string): void
  /** Removes a note of Drydock, or all of them. */
  removeNote(sha: string | null): void
}

/** A commit in the form that git shows. */
export interface ShownCommit {
  readonly author: string
  readonly committer: string
  /** The dates of author and committer, ISO 8601. */
  readonly dates: readonly [string, string]
  readonly parents: readonly string[]
  readonly message: string
}

/**
 * A user's repository with a commit of some files, an empty state, and the ports for both. Tests
 * only use this interface, so that they run on real git and in memory.
 */
export interface GitWorld extends ContractPorts {
  readonly signal: AbortSignal
  readonly user: User
  /** The ports of another process. */
  another(): ContractPorts
  /** Writes into a folder of the host: the user's repository, a workspace or a checkout. */
  write(folder: string, files: Files): void
  /** All files of such a folder, except those of its own `.git`. */
  shown(folder: string): FileContents
  /** The files of a commit or tree in the mirror. */
  files(sha: string): FileContents
  commitInMirror(sha: string): ShownCommit
  /** All refs of the mirror by full name. */
  mirrorRefs(): Readonly<Record<string, string>>
  close(): Promise<void>
}

/** The date of everything that Drydock makes in these tests. */
export const at = new Date('2026-11-03T10:00:00Z')
