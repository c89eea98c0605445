import type { Identity } from '../../../src/domain/identity.ts'
import type { Entry, Objects, Tree } from '../objects.ts'
import { ignoreRules } from './ignore-rules.ts'

/** Files of a folder by their paths below it. */
export type Work = Map<string, Entry>
/** Folders of the host by absolute path, each with the files below it. */
export type Disk = Map<string, Work>

/** The identity in the user's own git. */
export const userName: Identity = { name: 'Tester', email: 'tester@localhost' }
const someTime = new Date('2026-11-03T10:00:00Z')

/** A user's repository: branches, and a working tree with one of them checked out. */
export interface Repository {
  readonly objects: Objects
  readonly path: string
  readonly branches: Map<string, string>
  readonly tags: Map<string, string>
  /** Texts of `refs/notes/drydock` by commit. */
  readonly notes: Map<string, string>
  /**
   * Commits that Drydock made and handed over. The repository has no other commit of Drydock in
   * `objects`.
   */
  readonly received: Set<string>
  /** The branch or the commit that is checked out. */
  head: { readonly branch: string } | { readonly sha: string }
  work: Work
  /** The folders of a sparse checkout; `work` has its files nevertheless. */
  sparse: readonly string[] | null
}

/** A repository with one commit of these files; null for one without a commit. */
export function createRepository(objects: Objects, path: string, files: Tree | null, at = someTime): Repository {
  const made: Repository = {
    objects,
    path,
    branches: new Map(),
    tags: new Map(),
    notes: new Map(),
    received: new Set(),
    head: { branch: 'main' },
    work: new Map(files),
    sparse: null,
  }
  if (files !== null) commitAll(made, 'start', at)
  return made
}

/** The commit that is checked out; null before the first one. */
export const headOf = ({ head, branches }: Repository): string | null =>
  'sha' in head ? head.sha : (branches.get(head.branch) ?? null)

/** The files of the commit that is checked out; empty before the first one. */
export function headTree(repository: Repository): Tree {
  const head = headOf(repository)
  return head === null ? new Map() : repository.objects.tree(head)
}

/**
 * The files of a work tree that a full commit contains: tracked ones, and those that are not
 * ignored.
 */
export function committable(work: Tree, tracked: Tree, isIgnored: (path: string) => boolean): Tree {
  return new Map([...work].filter(([path]) => tracked.has(path) || !isIgnored(path)))
}

/** Does the user's own `git add --all && git commit`; returns the commit. */
export function commitAll(repository: Repository, message: string, at = someTime, by = userName): string {
  const { objects, work, head, branches } = repository
  const before = headOf(repository)
  const tree = objects.putTree(committable(work, headTree(repository), ignoreRules(work, '')))
  const parents = before === null ? [] : [before]
  // Git ends a given message with a newline.
  const sha = objects.commit({ tree, parents, message: `${message}\n`, at, author: by, committer: by })
  if ('sha' in head) repository.head = { sha }
  else branches.set(head.branch, sha)
  return sha
}

/** The commit of a name: a branch, a tag, an abbreviated commit, HEAD; with `~n` and `^`. */
export function revision(repository: Repository, name: string): string | null {
  const { objects, branches, tags } = repository
  const [, plain = '', steps = ''] = /^(.*?)((?:\^|~\d*)*)$/s.exec(name) ?? []
  const short = plain.replace(/^refs\/(heads|tags)\//, '')
  const ofBeginning = () =>
    /^[0-9a-f]{4,40}$/.test(plain) ? [...objects.commits.keys()].find((each) => each.startsWith(plain)) : undefined
  let at: string | null =
    plain === 'HEAD' ? headOf(repository) : (tags.get(short) ?? branches.get(short) ?? ofBeginning() ?? null)
  for (const step of steps.match(/\^|~\d*/g) ?? [])
    for (let n = step === '^' || step === '~' ? 1 : Number(step.slice(1)); n > 0; n -= 1)
      at = objects.commits.get(at ?? '')?.parents[0] ?? null
  return at
}
