import { DrydockError } from '../../../src/domain/drydock-error.ts'
import type { CommitRanges } from '../../../src/ports/commit-ranges.ts'
import type { ApplyResult, UserRepository } from '../../../src/ports/user-repository.ts'
import { filesOf } from '../files.ts'
import { byBytes, type Entry, isSame, type Tree } from '../objects.ts'
import { ignoreRules } from './ignore-rules.ts'
import { failed, type Mirror } from './mirror.ts'
import { committable, headOf, headTree, type Repository, revision } from './repository.ts'

/**
 * A user's repository in memory. The repository has no remotes and a whole history, and its author
 * is Drydock.
 */
export function createMemoryUserRepository(repository: Repository, mirror: Mirror): UserRepository {
  const { objects, branches, tags } = repository
  const treeOf = (sha: string): Tree => {
    if (!mirror.isUsers(repository, sha)) throw failed(`fatal: bad object ${sha}`)
    return objects.tree(sha)
  }
  const commitOf = (name: string | null) => {
    if (name === null) {
      const sha = headOf(repository)
      if (sha === null) throw noCommits(repository)
      return { branch: 'branch' in repository.head ? repository.head.branch : null, sha }
    }
    const ofBranch = branches.get(name)
    const sha = ofBranch ?? (name.startsWith('-') ? null : revision(repository, name))
    if (sha !== null && mirror.isUsers(repository, sha)) return { branch: ofBranch === undefined ? null : name, sha }
    if (branches.size + tags.size === 0) throw noCommits(repository)
    throw unknown(repository, name)
  }
  return {
    ...commitRanges(repository, mirror),
    async updateMirror(signal) {
      signal.throwIfAborted()
      return mirror.update(repository)
    },
    async target(name) {
      const found = commitOf(name)
      mirror.ensure(repository, found.sha)
      return found
    },
    has: async (path) =>
      [...repository.work.keys()].some((each) => each === path || each.startsWith(`${path.replace(/\/+$/, '')}/`)),
    commitOf: async (name) => commitOf(name).sha,
    author: async () => null,
    async fileAt(sha, path, maxBytes) {
      const entry = treeOf(sha).get(path)
      return entry === undefined || isLink(entry) ? null : entry.bytes.subarray(0, maxBytes).toString('utf8')
    },
    async filesAt(sha, paths, maxBytes) {
      const tree = treeOf(sha)
      const tops = topsOf(tree)
      return paths.map((path) => {
        const entry = tree.get(path)
        if (entry !== undefined && !isLink(entry))
          return { bytes: entry.bytes.subarray(0, maxBytes), size: entry.bytes.length }
        return tops.has(topOf(path)) ? 'not_a_file' : 'absent'
      })
    },
    async entriesBelow(sha, folders) {
      const entries = [...treeOf(sha)]
      const isWanted = (path: string) => folders.some((folder) => path === folder || path.startsWith(`${folder}/`))
      const below = entries.filter(([path]) => isWanted(path))
      // A folder may be behind a link at the root, which is listed instead.
      const tops = new Set(folders.map(topOf))
      const links = entries.filter(([path, entry]) => isLink(entry) && tops.has(path) && !isWanted(path))
      return [...below, ...links].map(([path, entry]) => ({ path, isLink: isLink(entry) }))
    },
    committed: (sha) => filesOf(() => treeOf(sha)),
    async takeBack(sha) {
      if (!mirror.isUsers(repository, sha) && mirror.has(sha)) mirror.handOver(repository, sha)
    },
    holderOf: async (sha) => {
      const all = [...[...branches].sort(([a], [b]) => byBytes(a, b)), ...tags]
      return all.find(([, at]) => objects.isAncestor(sha, at))?.[0] ?? null
    },
    branches: async (prefix) => [...branches.keys()].filter((name) => name.startsWith(prefix)).sort(byBytes),
    ownBranches: async () =>
      [...branches]
        .filter(([name]) => name.startsWith('drydock/'))
        .sort(([a], [b]) => byBytes(a, b))
        .map(([name, sha]) => {
          const others = [...branches]
            .filter(([other]) => !other.startsWith('drydock/'))
            .sort(([a], [b]) => byBytes(a, b))
          const holder = [...others, ...tags].find(([, at]) => objects.isAncestor(sha, at))
          return { name, sha, checkedOut: isCheckedOut(repository, name), elsewhere: holder?.[0] ?? null }
        }),
    async removeBranch({ name, sha }) {
      if (branches.get(name) !== sha || isCheckedOut(repository, name)) return false
      return branches.delete(name)
    },
    sparseCheckout: async () => repository.sparse,
    uncommitted: async () => uncommitted(repository),
    async snapshotUserTree(ref, at) {
      const head = headOf(repository)
      if (head === null) throw noCommits(repository)
      mirror.ensure(repository, head)
      const { work } = repository
      const tree = objects.putTree(committable(work, headTree(repository), ignoreRules(work, '')))
      const isHead = tree === objects.commits.get(head)?.tree
      const sha = isHead ? head : mirror.make({ tree, parents: [head], message: 'Working tree', at })
      mirror.keep(ref, sha)
      return { sha, tree }
    },
    async applyToUserTree(base, sha) {
      const head = headOf(repository)
      if (head === null) throw noCommits(repository)
      mirror.ensure(repository, head)
      return applied(repository, { base: mirror.tree(base), to: mirror.tree(sha), head: mirror.tree(head) })
    },
  }
}

/** True if the branch is checked out. */
export function isCheckedOut({ head }: Repository, branch: string): boolean {
  return 'branch' in head && head.branch === branch
}

/** See UserRepository.uncommitted. A folder without tracked files is listed alone, as by git. */
export function uncommitted(repository: Repository): Awaited<ReturnType<UserRepository['uncommitted']>> {
  const { work } = repository
  const known = headTree(repository)
  const isIgnored = ignoreRules(work, '')
  const tracked = [...known.keys()].filter((path) => !isSame(known.get(path), work.get(path)))
  const isTracked = (folder: string) => [...known.keys()].some((path) => path.startsWith(folder))
  const untracked = [...work.keys()].filter((path) => !known.has(path) && !isIgnored(path))
  const shown = untracked.map((path) => foldersTo(path).find((folder) => !isTracked(folder)) ?? path)
  return { tracked: tracked.sort(byBytes), untracked: [...new Set(shown)].sort(byBytes) }
}

/** Each folder along a path, ending in a slash. */
function foldersTo(path: string): readonly string[] {
  const names = path.split('/')
  return names.slice(0, -1).map((_, i) => `${names.slice(0, i + 1).join('/')}/`)
}

function commitRanges(repository: Repository, mirror: Mirror): CommitRanges {
  const { objects, notes } = repository
  return {
    isShallow: async () => false,
    parentsOf: async (sha) => (mirror.isUsers(repository, sha) ? (objects.commits.get(sha)?.parents ?? null) : null),
    roots: async (sha) => objects.ancestors(sha).filter((each) => objects.commits.get(each)?.parents.length === 0),
    mergeBase: async (one, other) => objects.mergeBase(one, other),
    async commitsBetween(base, head, max) {
      const known = new Set(objects.ancestors(base))
      const found = objects.ancestors(head).filter((each) => !known.has(each))
      return { commits: found.slice(0, max), count: found.length }
    },
    noted: async () => new Set(notes.keys()),
    remoteBranch: async () => null,
    async takeIn(commits) {
      mirror.exists = true
      for (const sha of commits) mirror.ensure(repository, sha)
    },
  }
}

interface Sides {
  readonly base: Tree
  readonly to: Tree
  readonly head: Tree
}

/** See UserRepository.applyToUserTree. */
function applied({ work }: Repository, { base, to, head }: Sides): ApplyResult {
  const paths = [...new Set([...base.keys(), ...to.keys()])].sort(byBytes)
  const changed = paths.filter((path) => !isSame(base.get(path), to.get(path)))
  const removed = new Set(changed.filter((path) => !to.has(path)))
  const todo: string[] = []
  const conflicts: string[] = []
  for (const path of changed) {
    const [before, after, now] = [base.get(path), to.get(path), work.get(path)]
    const inside = [...work.keys()].filter((each) => each.startsWith(`${path}/`))
    const isInTheWay = foldersTo(path).some((folder) => {
      const file = folder.slice(0, -1)
      return work.has(file) && !removed.has(file)
    })
    const isGone = after === undefined && (now === undefined || inside.length > 0)
    if (isGone || (after !== undefined && !isInTheWay && isSame(now, after))) continue
    const isEmptied = before === undefined && inside.every((each) => removed.has(each))
    const isUntouched = !isInTheWay && (inside.length === 0 ? isSame(now, before) : isEmptied)
    const isMoved = !isSame(base.get(path), head.get(path))
    if (isUntouched && !isMoved) todo.push(path)
    else conflicts.push(path)
  }
  if (conflicts.length > 0) return { applied: false, conflicts }
  for (const path of todo) if (!to.has(path)) work.delete(path)
  for (const path of todo) {
    const entry = to.get(path)
    if (entry !== undefined) work.set(path, entry)
  }
  return { applied: true, files: changed }
}

const isLink = ({ mode }: Entry) => mode === '120000'
const topOf = (path: string) => path.split('/')[0] ?? ''
const topsOf = (tree: Tree) => new Set([...tree.keys()].map(topOf))

function noCommits({ path }: Repository): DrydockError {
  return new DrydockError('no_commits', `${path} has no commits yet, so there is nothing to start from.`, {
    todo: 'git add --all && git commit -m "Start"',
  })
}

function unknown({ path }: Repository, name: string): DrydockError {
  return new DrydockError('unknown_revision', `There is no branch or commit ${JSON.stringify(name)} in ${path}.`, {
    todo: 'List them: git branch --all, git log --all --oneline',
  })
}
