import { DrydockError } from '../../src/domain/drydock-error.ts'
import type { Identity } from '../../src/domain/identity.ts'
import type { History, MergeResult, MirrorReads } from '../../src/ports/history.ts'
import type { Publisher } from '../../src/ports/publisher.ts'
import type { UserRepository } from '../../src/ports/user-repository.ts'
import type { WorkTrees } from '../../src/ports/work-trees.ts'
import { filesOf } from './files.ts'
import {
  changedFiles,
  createObjects,
  describe,
  type Entry,
  isText,
  lineCounts,
  mergeText,
  namesIn,
  type Objects,
  type Tree,
  textOf,
  unifiedDiff,
} from './objects.ts'

export type Work = Map<string, Entry>
/** Folders of the host by their absolute paths, each with the files below it. */
export type Disk = Map<string, Work>

export const userName: Identity = { name: 'Tester', email: 'tester@localhost' }

/** A user's repository: branches, and a working tree with one of them checked out. */
export interface Repository {
  readonly objects: Objects
  readonly path: string
  readonly branches: Map<string, string>
  readonly tags: Map<string, string>
  readonly notes: Map<string, string>
  /** The branch that is checked out, or the commit. */
  head: { readonly branch: string } | { readonly sha: string }
  work: Work
}

/** What git ignores, as far as tests need it: folders and files by name, and `*.ext`. */
function ignores(tree: Tree): (path: string) => boolean {
  const rules = textOf(tree.get('.gitignore') ?? { mode: '100644', bytes: Buffer.alloc(0) })
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
  const isRule = (rule: string, name: string) => {
    const plain = rule.replace(/^\//, '').replace(/\/$/, '')
    return plain.startsWith('*') ? name.endsWith(plain.slice(1)) : plain === name
  }
  return (path) => path.split('/').some((name) => rules.some((rule) => isRule(rule, name)))
}

/** Drydock's own files in a workspace, which no snapshot has: the port does not say so. */
const isOwn = (path: string) => /^(agent|\.drydock-agent(-\d+)?)\//.test(path)

function failed(message: string, todo = 'See what git says.'): DrydockError {
  return new DrydockError('git_failed', message, { todo })
}

const mustBeHidden = (ref: string) => {
  if (!ref.startsWith('refs/drydock/')) throw new Error(`${ref} is not below refs/drydock/`)
}

export interface MemoryGit {
  readonly objects: Objects
  readonly refs: Map<string, string>
  readonly disk: Disk
  readonly checkouts: Map<string, string>
  readonly history: History
  readonly workTrees: WorkTrees
  beside(repository: Repository): {
    readonly userRepository: UserRepository
    readonly publisher: Publisher
    readonly workTrees: WorkTrees
  }
}

/** A mirror, work trees and any number of users' repositories in memory. */
export function createMemoryGit(state: string, objects: Objects = createObjects()): MemoryGit {
  /** Hidden refs of the mirror. */
  const refs = new Map<string, string>()
  const disk: Disk = new Map()
  /** The commit of each folder that is a checkout, for whoever judges by commits. */
  const checkouts = new Map<string, string>()
  const aside = new Map<string, Work>()
  const tips = new Map<string, string>()
  const path = (slot: string) => `${state}/workspaces/${slot}`
  const ofCommit = (sha: string) => {
    if (!objects.commits.has(sha)) throw failed(`fatal: bad object ${sha}`)
    return objects.tree(sha)
  }
  const reads: MirrorReads = {
    async diff({ from, to, path: only, folder, maxBytes }) {
      if (!objects.commits.has(from) || !objects.commits.has(to))
        throw new DrydockError('not_found', 'Drydock no longer keeps this change: its story ended long ago.', {
          todo: 'See it on its branch.',
        })
      const pick = (tree: Tree): Tree =>
        only === undefined ? tree : new Map([...tree].filter(([each]) => each === only || each.startsWith(`${only}/`)))
      const bytes = Buffer.from(unifiedDiff(pick(objects.tree(from)), pick(objects.tree(to)), folder))
      if (bytes.length <= maxBytes) return { text: bytes.toString(), truncated: false }
      const cut = bytes.subarray(0, maxBytes)
      return { text: cut.subarray(0, cut.lastIndexOf('\n') + 1).toString(), truncated: true }
    },
    isAncestor: async (ancestor, of) => objects.isAncestor(ancestor, of),
    committed: (sha) => filesOf(() => objects.tree(sha)),
  }
  const history: History = {
    ...reads,
    async commit(input) {
      mustBeHidden(input.ref)
      const sha = objects.commit(input)
      refs.set(input.ref, sha)
      return sha
    },
    tree: async (sha) => {
      const found = objects.commits.get(sha)?.tree ?? (objects.trees.has(sha) ? sha : undefined)
      if (found === undefined) throw failed(`fatal: bad object ${sha}`)
      return found
    },
    async treeWith({ base, from, paths, files = [] }) {
      const made = new Map(ofCommit(base))
      const source = ofCommit(from)
      const clear = (each: string) => {
        made.delete(each)
        for (const other of [...made.keys()])
          if (other.startsWith(`${each}/`) || each.startsWith(`${other}/`)) made.delete(other)
      }
      for (const each of paths) {
        clear(each)
        for (const [name, entry] of source) if (name === each || name.startsWith(`${each}/`)) made.set(name, entry)
      }
      for (const { path: each, content } of files) {
        const { mode = '100644' } = made.get(each) ?? {}
        clear(each)
        made.set(each, { mode, bytes: Buffer.from(content) })
      }
      return objects.putTree(made)
    },
    changedFiles: async (from, to) => changedFiles(ofCommit(from), ofCommit(to)),
    lineCounts: async (from, to) => lineCounts(ofCommit(from), ofCommit(to)),
    contents: async (sha, paths) =>
      Object.fromEntries(paths.map((each) => [each, describe(ofCommit(sha), each.replace(/\/+$/, ''))])),
    namesIn: async (sha, folder) => namesIn(ofCommit(sha), folder),
    merge: async ({ ours, theirs }) => merge(objects, ours, theirs),
    conflictMarkers: async (sha, paths) =>
      paths.filter((each) => {
        const entry = ofCommit(sha).get(each)
        return entry !== undefined && /^(<<<<<<<|>>>>>>>) /m.test(textOf(entry))
      }),
    inside: () => reads,
    async hidden(under) {
      const collator = new Intl.Collator('en', { numeric: true })
      return [...refs]
        .filter(([ref]) => ref.startsWith(under))
        .sort(([a], [b]) => collator.compare(a, b))
        .map(([ref, sha]) => {
          const { tree, parents, at, message } = objects.commits.get(sha) as never as {
            tree: string
            parents: string[]
            at: Date
            message: string
          }
          return {
            ref,
            sha,
            tree,
            parent: parents[0] ?? null,
            at: at.toISOString(),
            subject: message.split('\n')[0] ?? '',
          }
        })
    },
    async forget(gone) {
      for (const ref of gone) refs.delete(ref)
    },
    lfsPointers: async (sha) =>
      [...ofCommit(sha).values()].filter((entry) =>
        textOf(entry).startsWith('version https://git-lfs.github.com/spec/v1'),
      ).length,
    async tidy() {},
  }
  const workTrees: WorkTrees = {
    async initialize(slots) {
      for (const slot of slots) if (!disk.has(path(slot))) disk.set(path(slot), new Map())
    },
    path,
    async prepare({ slot, tip, tree }, signal) {
      signal.throwIfAborted()
      disk.set(path(slot), new Map(objects.tree(tree ?? tip)))
      tips.set(slot, tip)
    },
    async snapshot({ slot, parents, ref, last, message, at }, signal) {
      signal.throwIfAborted()
      mustBeHidden(ref)
      const [parent = ''] = parents
      const known = ofCommit(parent)
      const work = disk.get(path(slot)) ?? new Map<string, Entry>()
      const isIgnored = ignores(work)
      const nested = [...work.keys()].find((each) => each.includes('/.git/'))
      if (nested !== undefined)
        return {
          ok: false,
          reason: `a git repository inside the workspace cannot be part of the change: remove "${nested.split('/.git/')[0]}/.git"`,
        }
      const tree = objects.putTree(
        new Map([...work].filter(([each]) => known.has(each) || !(isIgnored(each) || isOwn(each)))),
      )
      const same = [refs.get(ref), last].find((sha) => {
        const commit = sha ? objects.commits.get(sha) : undefined
        return commit !== undefined && commit.tree === tree && commit.parents.join(' ') === parents.join(' ')
      })
      const sha = same ?? objects.commit({ tree, parents, message, at })
      refs.set(ref, sha)
      return { ok: true, snapshot: { sha, tree } }
    },
    setAside: async (under) =>
      [...aside.keys()].filter((ref) => ref.startsWith(under)).map((ref) => ({ ref, folder: `${state}/aside/${ref}` })),
    async forgetSetAside(under) {
      for (const ref of [...aside.keys()]) if (under.some((each) => ref.startsWith(each))) aside.delete(ref)
    },
    async ignored(slot, paths) {
      const isIgnored = ignores(disk.get(path(slot)) ?? new Map())
      const tip = tips.get(slot)
      const tracked = tip === undefined ? new Map() : objects.tree(tip)
      return paths.filter((each) => (isIgnored(each) || isOwn(each)) && !tracked.has(each))
    },
    async checkout(name, sha, signal) {
      signal.throwIfAborted()
      const folder = `${state}/checkouts/${name}`
      disk.set(folder, new Map(ofCommit(sha)))
      checkouts.set(folder, sha)
      return folder
    },
    submodules: async () => [],
    makeMountPoints: async (folder, paths) => {
      const files = disk.get(folder) ?? new Map()
      return paths.filter((each) => !files.has(each))
    },
    async tidy() {},
  }
  return {
    objects,
    refs,
    disk,
    checkouts,
    history,
    workTrees,
    beside: (repository) => ({ ...ofUser(repository, refs), workTrees }),
  }
}

function merge(objects: Objects, ours: string, theirs: string): MergeResult {
  const base = objects.mergeBase(ours, theirs)
  if (base === null) throw failed('fatal: refusing to merge unrelated histories')
  const [from, left, right] = [objects.tree(base), objects.tree(ours), objects.tree(theirs)]
  const made = new Map<string, Entry>()
  const conflicts: string[] = []
  const told: string[] = []
  const same = (a: Entry | undefined, b: Entry | undefined) =>
    a === b || (a !== undefined && b !== undefined && a.mode === b.mode && a.bytes.equals(b.bytes))
  for (const path of [...new Set([...from.keys(), ...left.keys(), ...right.keys()])].sort()) {
    const [o, a, b] = [from.get(path), left.get(path), right.get(path)]
    const take = (entry: Entry | undefined) => entry !== undefined && made.set(path, entry)
    if (same(a, b) || same(o, b)) take(a)
    else if (same(o, a)) take(b)
    else if (a === undefined || b === undefined) {
      take(a ?? b)
      conflicts.push(path)
      const [gone, kept] = a === undefined ? [ours, theirs] : [theirs, ours]
      told.push(
        `CONFLICT (modify/delete): ${path} deleted in ${gone} and modified in ${kept}.  Version ${kept} of ${path} left in tree.`,
      )
    } else if ([o, a, b].some((each) => each !== undefined && !isText(each))) {
      take(a)
      conflicts.push(path)
      told.push(
        `warning: Cannot merge binary files: ${path} (${ours} vs. ${theirs})\nCONFLICT (content): Merge conflict in ${path}`,
      )
    } else {
      const merged = mergeText(o === undefined ? '' : textOf(o), textOf(a), textOf(b), [ours, theirs])
      made.set(path, { mode: a.mode, bytes: Buffer.from(merged.text) })
      if (merged.isClean) continue
      conflicts.push(path)
      told.push(`CONFLICT (${o === undefined ? 'add/add' : 'content'}): Merge conflict in ${path}`)
    }
  }
  const tree = objects.putTree(made)
  if (conflicts.length === 0) return { clean: true, tree }
  return { clean: false, tree, conflicts, explanation: told.join('\n') }
}

/** A repository with one commit of these files. */
export function createRepository(
  objects: Objects,
  path: string,
  files: Tree | null,
  at = new Date('2026-11-03T10:00:00Z'),
): Repository {
  const made: Repository = {
    objects,
    path,
    branches: new Map(),
    tags: new Map(),
    notes: new Map(),
    head: { branch: 'main' },
    work: new Map(),
  }
  if (files === null) return made
  made.work = new Map(files)
  commitAll(made, 'start', at)
  return made
}

export const headOf = ({ head, branches }: Repository): string | null =>
  'sha' in head ? head.sha : (branches.get(head.branch) ?? null)

/** What the user's own `git commit --all` does. */
export function commitAll(repository: Repository, message: string, at = new Date('2026-11-03T10:00:00Z')): string {
  const { objects, work, head, branches } = repository
  const before = headOf(repository)
  const isIgnored = ignores(work)
  const tracked = before === null ? new Map() : objects.tree(before)
  const tree = objects.putTree(new Map([...work].filter(([path]) => tracked.has(path) || !isIgnored(path))))
  const sha = objects.commit({ tree, parents: before === null ? [] : [before], message, at, author: userName })
  if ('sha' in head) repository.head = { sha }
  else branches.set(head.branch, sha)
  return sha
}

/** The commit that a name stands for. */
export function revision(repository: Repository, name: string): string | null {
  const { objects, branches, tags } = repository
  const [, plain = '', steps = ''] = /^(.*?)((?:\^|~\d*)*)$/.exec(name) ?? []
  const short = plain.replace(/^refs\/(heads|tags)\//, '')
  const start =
    plain === 'HEAD'
      ? headOf(repository)
      : (branches.get(short) ??
        tags.get(short) ??
        (/^[0-9a-f]{7,40}$/.test(plain)
          ? [...objects.commits.keys()].find((each) => each.startsWith(plain))
          : undefined) ??
        null)
  let at = start
  for (const step of steps.match(/\^|~\d*/g) ?? [])
    for (let n = step === '^' || step === '~' ? 1 : Number(step.slice(1)); n > 0; n -= 1)
      at = objects.commits.get(at ?? '')?.parents[0] ?? null
  return at
}

function ofUser(
  repository: Repository,
  refs: Map<string, string>,
): { userRepository: UserRepository; publisher: Publisher } {
  const { objects, branches, notes } = repository
  const isCheckedOut = (branch: string) => 'branch' in repository.head && repository.head.branch === branch
  const noCommits = () =>
    new DrydockError('no_commits', `${repository.path} has no commits yet, so there is nothing to start from.`, {
      todo: 'git add --all && git commit -m "Start"',
    })
  const target: UserRepository['target'] = async (name) => {
    if (name === null) {
      const sha = headOf(repository)
      if (sha === null) throw noCommits()
      return { branch: 'branch' in repository.head ? repository.head.branch : null, sha }
    }
    const sha = name.startsWith('-') ? null : revision(repository, name)
    if (sha !== null) return { branch: branches.has(name) ? name : null, sha }
    if (branches.size === 0 && repository.tags.size === 0) throw noCommits()
    throw new DrydockError(
      'unknown_revision',
      `There is no branch or commit ${JSON.stringify(name)} in ${repository.path}.`,
      {
        todo: 'List them: git branch --all, git log --all --oneline',
      },
    )
  }
  const tree = (sha: string) => objects.tree(sha)
  const elsewhere = ({
    branch,
    sha,
    from,
    now,
  }: {
    branch: string
    sha: string
    from: string | null
    now: string | null
  }) => {
    if (from === null)
      return failed(
        `The branch ${branch} already exists in ${repository.path} at ${now}, not at ${sha}.`,
        `git branch --move ${branch} ${branch}-old, then resume`,
      )
    const left = `Drydock left it at ${from} and would move it from there to ${sha}.`
    if (now === null)
      return failed(
        `The branch ${branch} no longer exists in ${repository.path}. ${left}`,
        `git branch ${branch} ${from} && drydock resume`,
      )
    return failed(
      `Somebody moved the branch ${branch} in ${repository.path} to ${now}. ${left}`,
      `git branch ${branch}-mine ${now} && git update-ref refs/heads/${branch} ${from} && drydock resume`,
    )
  }
  const check: Publisher['check'] = async (branch, sha, from) => {
    const now = branches.get(branch) ?? null
    if (now === sha) return true
    if (now !== from) throw elsewhere({ branch, sha, from, now })
    if (isCheckedOut(branch))
      throw failed(
        `The branch ${branch} is checked out in ${repository.path}. If it moved now, it would no longer match the files there.`,
        'Switch to another branch there (git switch NAME), then: drydock resume',
      )
    return false
  }
  const dirty = () => {
    const head = headOf(repository)
    const known = head === null ? new Map<string, Entry>() : new Map(tree(head))
    const isIgnored = ignores(repository.work)
    const differs = (path: string) => {
      const [a, b] = [known.get(path), repository.work.get(path)]
      return a === undefined || b === undefined || a.mode !== b.mode || !a.bytes.equals(b.bytes)
    }
    const tracked = [...known.keys()].filter(differs)
    const untracked = [...repository.work.keys()].filter((path) => !known.has(path) && !isIgnored(path))
    return { tracked: tracked.sort(), untracked: untracked.sort() }
  }
  const userRepository: UserRepository = {
    async updateMirror(signal) {
      signal.throwIfAborted()
      return { head: headOf(repository), branches: [...branches.keys()] }
    },
    target,
    commitOf: async (name) => (await target(name)).sha,
    author: async () => null,
    async fileAt(sha, path, maxBytes) {
      const entry = tree(sha).get(path)
      return entry === undefined || entry.mode === '120000' ? null : entry.bytes.subarray(0, maxBytes).toString('utf8')
    },
    filesAt: async (sha, paths, maxBytes) =>
      paths.map((path) => {
        const entry = tree(sha).get(path)
        if (entry !== undefined && entry.mode !== '120000')
          return { bytes: entry.bytes.subarray(0, maxBytes), size: entry.bytes.length }
        const isKnown = entry !== undefined || [...tree(sha).keys()].some((each) => each.startsWith(`${path}/`))
        const isBehind = path.split('/').some((_, i, names) => tree(sha).has(names.slice(0, i).join('/')))
        return isKnown || isBehind ? 'not_a_file' : 'absent'
      }),
    entriesBelow: async (sha, folders) =>
      [...tree(sha)]
        .filter(([path]) => folders.some((folder) => path.startsWith(`${folder.replace(/\/$/, '')}/`)))
        .map(([path, { mode }]) => ({ path, isLink: mode === '120000' })),
    committed: (sha) => filesOf(() => tree(sha)),
    async takeBack() {},
    branches: async (prefix) => [...branches.keys()].filter((name) => name.startsWith(prefix)).sort(),
    ownBranches: async () =>
      [...branches]
        .filter(([name]) => name.startsWith('drydock/'))
        .map(([name, sha]) => ({
          ...{ name, sha, checkedOut: isCheckedOut(name) },
          elsewhere: [...branches].find(([other, at]) => other !== name && objects.isAncestor(sha, at))?.[0] ?? null,
        })),
    async removeBranch({ name, sha }) {
      if (branches.get(name) !== sha || isCheckedOut(name)) return false
      return branches.delete(name)
    },
    uncommitted: async () => dirty(),
    async snapshotUserTree(ref, at) {
      const head = headOf(repository)
      if (head === null) throw noCommits()
      const { tracked, untracked } = dirty()
      if (tracked.length + untracked.length === 0) {
        refs.set(ref, head)
        return { sha: head, tree: objects.commits.get(head)?.tree ?? '' }
      }
      const isIgnored = ignores(repository.work)
      const made = objects.putTree(
        new Map([...repository.work].filter(([path]) => tree(head).has(path) || !isIgnored(path))),
      )
      const sha = objects.commit({ tree: made, parents: [head], message: 'working tree', at })
      refs.set(ref, sha)
      return { sha, tree: made }
    },
    async applyToUserTree(base, sha) {
      const files = changedFiles(tree(base), tree(sha))
      const [from, to] = [tree(base), tree(sha)]
      const paths = [...new Set(files.flatMap(({ path, from: old }) => (old === undefined ? [path] : [old, path])))]
      const same = (a?: Entry, b?: Entry) => a === b || (a !== undefined && b !== undefined && a.bytes.equals(b.bytes))
      const conflicts = paths.filter((path) => {
        const now = repository.work.get(path)
        return !same(now, from.get(path)) && !same(now, to.get(path))
      })
      if (conflicts.length > 0) return { applied: false, conflicts }
      for (const path of paths) {
        const next = to.get(path)
        if (next === undefined) repository.work.delete(path)
        else repository.work.set(path, next)
      }
      return { applied: true, files: paths }
    },
    isShallow: async () => false,
    parentsOf: async (sha) => objects.commits.get(sha)?.parents ?? null,
    roots: async (sha) => objects.ancestors(sha).filter((each) => objects.commits.get(each)?.parents.length === 0),
    mergeBase: async (one, other) => objects.mergeBase(one, other),
    async commitsBetween(base, head, max) {
      const found = objects.ancestors(head).filter((each) => !objects.isAncestor(each, base))
      return { commits: found.slice(0, max), count: found.length }
    },
    noted: async () => new Set(notes.keys()),
    remoteBranch: async () => null,
    async takeIn() {},
  }
  const publisher: Publisher = {
    async publish(branch, sha, from) {
      if (await check(branch, sha, from)) return
      branches.set(branch, sha)
    },
    check,
    async advance(branch, sha, from) {
      const now = branches.get(branch) ?? null
      if (now === sha) return
      if (now !== from) {
        const where = now === null ? 'It no longer exists' : `It is at ${now.slice(0, 12)}`
        throw new DrydockError(
          'branch_moved',
          `Somebody moved ${branch} meanwhile. ${where}, not at ${from.slice(0, 12)}.`,
          { todo: 'Land again.' },
        )
      }
      if (isCheckedOut(branch)) {
        if (dirty().tracked.length > 0)
          throw new DrydockError('apply_refused', `${branch} is checked out with local changes.`, {
            todo: 'Commit them.',
          })
        const [old, next] = [tree(from), tree(sha)]
        for (const path of old.keys()) if (!next.has(path)) repository.work.delete(path)
        for (const [path, entry] of next) repository.work.set(path, entry)
      }
      branches.set(branch, sha)
    },
    async note({ sha, text }) {
      notes.set(sha, text)
    },
  }
  return { userRepository, publisher }
}
