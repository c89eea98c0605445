import { DrydockError } from '../../../src/domain/drydock-error.ts'
import type { UserRefs } from '../../../src/ports/user-repository.ts'
import { byBytes, type Commit, type NewCommit, type Objects, type Tree } from '../objects.ts'
import { headOf, type Repository } from './repository.ts'

/**
 * The state's own copy of a repository. The mirror has only commits that were made in it or fetched
 * into it.
 */
export interface Mirror {
  readonly objects: Objects
  /** All refs by full name. */
  readonly refs: Map<string, string>
  /** Texts of notes by repository and commit. */
  readonly notes: Map<Repository, Map<string, string>>
  /** True once the mirror was created. */
  exists: boolean
  has(sha: string): boolean
  /** Throws `git_failed` for a missing commit. */
  commit(sha: string): Commit
  tree(sha: string): Tree
  make(commit: NewCommit): string
  /** Points a hidden ref at a commit. */
  keep(ref: string, sha: string): void
  update(repository: Repository): UserRefs
  /** Fetches a commit of the user's repository. */
  ensure(repository: Repository, sha: string): void
  /** Transfers a commit and its history to the user's repository. */
  handOver(repository: Repository, sha: string): void
  /** True if the user's repository has the commit. */
  isUsers(repository: Repository, sha: string): boolean
}

/** An error in the form of git's own failures. */
export function failed(message: string, todo = 'See what git says.'): DrydockError {
  return new DrydockError('git_failed', message, { todo })
}

/** Throws for a ref that is not one of Drydock's own. */
export function mustBeHidden(ref: string): void {
  if (!ref.startsWith('refs/drydock/')) throw new Error(`${ref} is not below refs/drydock/`)
}

/** A mirror without commits; its `exists` is set by the first port that initializes it. */
export function createMirror(objects: Objects): Mirror {
  const here = new Set<string>()
  const own = new Set<string>()
  const places = new Map<Repository, string>()
  const takeIn = (sha: string) => {
    for (const each of objects.ancestors(sha)) here.add(each)
  }
  /** The first repository's refs keep their names; those of others are in a folder. */
  const placeOf = (repository: Repository) => {
    const known = places.get(repository) ?? (places.size === 0 ? '' : `user/beside/${places.size}/`)
    places.set(repository, known)
    return known
  }
  const mirror: Mirror = {
    objects,
    refs: new Map(),
    notes: new Map(),
    exists: false,
    has: (sha) => here.has(sha),
    commit(sha) {
      const found = here.has(sha) ? objects.commits.get(sha) : undefined
      if (found === undefined) throw failed(`fatal: bad object ${sha}`)
      return found
    },
    tree: (sha) => objects.tree(objects.trees.has(sha) ? sha : mirror.commit(sha).tree),
    make(commit) {
      if (!objects.trees.has(commit.tree)) throw failed(`fatal: not a valid object name ${commit.tree}`)
      const sha = objects.commit(commit)
      here.add(sha)
      own.add(sha)
      return sha
    },
    keep(ref, sha) {
      mustBeHidden(ref)
      mirror.refs.set(ref, sha)
    },
    update(repository) {
      if (!mirror.exists) throw failed('fatal: not a git repository')
      const place = placeOf(repository)
      const head = headOf(repository)
      const found = new Map<string, string>([
        ...[...repository.branches].map(([name, sha]) => [`refs/${place}heads/${name}`, sha] as const),
        ...[...repository.tags].map(([name, sha]) => [`refs/${place}tags/${name}`, sha] as const),
        ...(head === null ? [] : [[`refs/${place === '' ? 'user/' : place}HEAD`, head] as const]),
      ])
      const isOfIt = (ref: string) => ['heads/', 'tags/'].some((kind) => ref.startsWith(`refs/${place}${kind}`))
      for (const ref of [...mirror.refs.keys()]) if (isOfIt(ref) && !found.has(ref)) mirror.refs.delete(ref)
      for (const [ref, sha] of found) {
        mirror.refs.set(ref, sha)
        takeIn(sha)
      }
      return { head, branches: [...repository.branches.keys()].sort(byBytes) }
    },
    ensure(repository, sha) {
      if (!mirror.exists || here.has(sha)) return
      if (!mirror.isUsers(repository, sha)) throw failed(`fatal: remote error: upload-pack: not our ref ${sha}`)
      mirror.refs.set(`refs/user/commits/${sha}`, sha)
      takeIn(sha)
    },
    handOver(repository, sha) {
      mirror.commit(sha)
      for (const each of objects.ancestors(sha)) if (own.has(each)) repository.received.add(each)
    },
    isUsers: (repository, sha) => objects.commits.has(sha) && (!own.has(sha) || repository.received.has(sha)),
  }
  return mirror
}
