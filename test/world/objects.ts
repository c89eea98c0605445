import { createHash } from 'node:crypto'
import type { Identity } from '../../src/domain/identity.ts'

/** A file in git's form: its mode, and its bytes or the target of a link. */
export interface Entry {
  readonly mode: '100644' | '100755' | '120000'
  readonly bytes: Buffer
}

/** Files by path from the root, in git's order. A tree never changes. */
export type Tree = ReadonlyMap<string, Entry>

/** A commit in git's form. */
export interface Commit {
  readonly sha: string
  readonly tree: string
  readonly parents: readonly string[]
  readonly message: string
  readonly author: Identity
  readonly committer: Identity
  /** The date of author and committer, which git stores in whole seconds. */
  readonly at: Date
}

/** A new commit; author and committer are Drydock by default. */
export interface NewCommit extends Omit<Commit, 'sha' | 'author' | 'committer'> {
  readonly author?: Identity | null | undefined
  readonly committer?: Identity | null | undefined
}

/** True if git treats the content as text: no zero byte among its first 8,000. */
export const isText = ({ bytes }: Entry): boolean => !bytes.subarray(0, 8_000).includes(0)
/** The content, decoded as UTF-8. */
export const textOf = ({ bytes }: Entry): string => bytes.toString('utf8')
/** A regular file with this content. */
export const file = (content: string | Uint8Array): Entry => ({ mode: '100644', bytes: Buffer.from(content) })
/** A tree of regular files. */
export const treeOf = (files: Readonly<Record<string, string>>): Tree =>
  new Map(Object.entries(files).map(([path, content]) => [path, file(content)]))
/** True if two entries are the same file, or both are missing. */
export const isSame = (a: Entry | undefined, b: Entry | undefined): boolean =>
  a === b || (a !== undefined && b !== undefined && a.mode === b.mode && a.bytes.equals(b.bytes))
/** Compares two paths by their bytes, as git does. */
export const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))

function hashOf(type: string, content: Uint8Array): string {
  return createHash('sha1').update(`${type} ${content.length}\0`).update(content).digest('hex')
}

const blobs = new WeakMap<Buffer, string>()
/** The id of the content as a git object. */
export function blobOf({ bytes }: Entry): string {
  const known = blobs.get(bytes) ?? hashOf('blob', bytes)
  blobs.set(bytes, known)
  return known
}

type Folder = Map<string, Folder | Entry>
const isFolder = (node: Folder | Entry | undefined): node is Folder => node instanceof Map

function nested(tree: Tree): Folder {
  const root: Folder = new Map()
  for (const [path, entry] of tree) {
    const names = path.split('/')
    const name = names.pop() ?? ''
    let folder = root
    for (const each of names) {
      const found = folder.get(each)
      const next: Folder = isFolder(found) ? found : new Map()
      if (next !== found) folder.set(each, next)
      folder = next
    }
    folder.set(name, entry)
  }
  return root
}

function shaOf(folder: Folder): string {
  // A folder is sorted as if its name ended in a slash.
  const key = ([name, node]: [string, Folder | Entry]) => (isFolder(node) ? `${name}/` : name)
  const entries = [...folder].sort((a, b) => byBytes(key(a), key(b)))
  const parts = entries.map(([name, node]) =>
    Buffer.concat([
      Buffer.from(`${isFolder(node) ? '40000' : node.mode} ${name}\0`),
      Buffer.from(isFolder(node) ? shaOf(node) : blobOf(node), 'hex'),
    ]),
  )
  return hashOf('tree', Buffer.concat(parts))
}

function nodeAt(tree: Tree, path: string): Folder | Entry | undefined {
  const found = tree.get(path)
  if (found !== undefined) return found
  const below = path === '' ? tree : new Map([...tree].flatMap(([each, entry]) => inFolder(path, each, entry)))
  return below.size === 0 && path !== '' ? undefined : nested(below)
}

function inFolder(folder: string, path: string, entry: Entry): readonly [string, Entry][] {
  return path.startsWith(`${folder}/`) ? [[path.slice(folder.length + 1), entry]] : []
}

/** Mode, type and object of a path, in the form of `git ls-tree`; null for a missing path. */
export function identityAt(tree: Tree, path: string): string | null {
  const node = nodeAt(tree, path)
  if (node === undefined) return null
  return isFolder(node) ? `040000 tree ${shaOf(node)}` : `${node.mode} blob ${blobOf(node)}`
}

/** Names in a folder, in git's order; empty for a missing path, null for a file or link. */
export function namesIn(tree: Tree, folder: string): readonly string[] | null {
  const node = nodeAt(tree, folder)
  if (node === undefined) return []
  if (!isFolder(node)) return null
  return [...node]
    .map(([name, each]) => (isFolder(each) ? `${name}/` : name))
    .sort(byBytes)
    .map(withoutSlash)
}

const withoutSlash = (name: string) => name.replace(/\/$/, '')

/** Sorts the files in git's order of paths. */
export const sorted = (tree: Tree): Tree => new Map([...tree].sort(([a], [b]) => byBytes(a, b)))

const drydock: Identity = { name: 'Drydock', email: 'drydock@localhost' }

/** Trees and commits, by their git ids. */
export interface Objects {
  readonly trees: ReadonlyMap<string, Tree>
  readonly commits: ReadonlyMap<string, Commit>
  /** Stores a tree and returns its id. */
  putTree(tree: Tree): string
  /** The files of a commit or tree. Throws for any other id. */
  tree(sha: string): Tree
  /** Makes a commit and returns its id, which depends only on the input. */
  commit(given: NewCommit): string
  /** True if `ancestor` is the commit itself or in its history. */
  isAncestor(ancestor: string, of: string): boolean
  /**
   * A commit and its history, parents after children, newest first, in the order of `git rev-list`.
   */
  ancestors(sha: string): readonly string[]
  /** The best common ancestors of two commits; several after a criss-cross merge. */
  mergeBases(one: string, other: string): readonly string[]
  /** The first of them; null for unrelated commits. */
  mergeBase(one: string, other: string): string | null
}

export function createObjects(): Objects {
  const trees = new Map<string, Tree>()
  const commits = new Map<string, Commit>()
  const parentsOf = (sha: string) => commits.get(sha)?.parents ?? []
  const reachable = (from: readonly string[]): ReadonlySet<string> => {
    const seen = new Set<string>()
    const todo = [...from]
    for (let each = todo.pop(); each !== undefined; each = todo.pop()) {
      if (seen.has(each) || !commits.has(each)) continue
      seen.add(each)
      todo.push(...parentsOf(each))
    }
    return seen
  }
  const objects: Objects = {
    trees,
    commits,
    putTree(tree) {
      const sha = shaOf(nested(tree))
      if (!trees.has(sha)) trees.set(sha, sorted(tree))
      return sha
    },
    tree(sha) {
      const found = trees.get(commits.get(sha)?.tree ?? sha)
      if (found === undefined) throw new Error(`fatal: bad object ${sha}`)
      return found
    },
    commit({ tree, parents, message, at, ...by }) {
      const [author, committer] = [by.author ?? drydock, by.committer ?? drydock]
      const seconds = Math.floor(at.getTime() / 1_000)
      const who = ({ name, email }: Identity) => `${name} <${email}> ${seconds} +0000`
      const lines = [
        `tree ${tree}`,
        ...parents.map((parent) => `parent ${parent}`),
        `author ${who(author)}`,
        `committer ${who(committer)}`,
        '',
        message,
      ]
      const sha = hashOf('commit', Buffer.from(lines.join('\n')))
      if (!commits.has(sha)) commits.set(sha, { sha, tree, parents, message, author, committer, at })
      return sha
    },
    isAncestor: (ancestor, of) => reachable([of]).has(ancestor),
    ancestors(sha) {
      const order: string[] = []
      const seen = new Set([sha])
      const todo = commits.has(sha) ? [sha] : []
      const age = (each: string) => commits.get(each)?.at.getTime() ?? 0
      for (let each = todo.shift(); each !== undefined; each = todo.shift()) {
        order.push(each)
        for (const parent of parentsOf(each)) {
          if (seen.has(parent)) continue
          seen.add(parent)
          const older = todo.findIndex((other) => age(other) < age(parent))
          todo.splice(older < 0 ? todo.length : older, 0, parent)
        }
      }
      return order
    },
    mergeBases(one, other) {
      const others = reachable([other])
      const common = objects.ancestors(one).filter((each) => others.has(each))
      const below = reachable(common.flatMap(parentsOf))
      return common.filter((each) => !below.has(each))
    },
    mergeBase: (one, other) => objects.mergeBases(one, other)[0] ?? null,
  }
  return objects
}
