import { mustBeInTree } from '../../../src/adapters/git/history/tree-path.ts'
import { DrydockError } from '../../../src/domain/drydock-error.ts'
import type { History, MirrorReads } from '../../../src/ports/history.ts'
import { filesOf } from '../files.ts'
import { file, identityAt, isText, namesIn, type Tree, textOf } from '../objects.ts'
import { changedFiles, lineCounts } from './changes.ts'
import { merge } from './merge.ts'
import { failed, type Mirror, mustBeHidden } from './mirror.ts'
import { unifiedDiff } from './unified-diff.ts'

const numeric = new Intl.Collator('en', { numeric: true })

/** History of a mirror in memory. A user's commits are unsigned. */
export function createMemoryHistory(mirror: Mirror): History {
  const { objects, refs } = mirror
  const reads: MirrorReads = {
    async diff({ from, to, path, folder, maxBytes }) {
      if (!mirror.has(from) || !mirror.has(to)) throw noLongerKept()
      const only = (tree: Tree): Tree => (path === undefined ? tree : below(tree, path))
      const bytes = Buffer.from(unifiedDiff(only(mirror.tree(from)), only(mirror.tree(to)), folder))
      if (bytes.length <= maxBytes) return { text: bytes.toString(), truncated: false }
      const cut = bytes.subarray(0, maxBytes)
      return { text: cut.subarray(0, cut.lastIndexOf('\n') + 1).toString(), truncated: true }
    },
    async isAncestor(ancestor, of) {
      mustExist(mirror)
      return mirror.has(ancestor) && mirror.has(of) && objects.isAncestor(ancestor, of)
    },
    committed: (sha) => filesOf(() => mirror.tree(sha)),
  }
  return {
    ...reads,
    async commit({ ref, tree, parents, message, at, author }) {
      mustBeHidden(ref)
      const sha = mirror.make({ tree, parents, message, at, author })
      mirror.keep(ref, sha)
      return sha
    },
    async commitLike({ like, tree, ref }) {
      mustBeHidden(ref)
      const sha = mirror.make({ ...mirror.commit(like), tree })
      mirror.keep(ref, sha)
      return sha
    },
    async tree(sha) {
      mustExist(mirror)
      return objects.trees.has(sha) ? sha : mirror.commit(sha).tree
    },
    async treeWith({ base, from, paths, files = [], without = [] }) {
      for (const path of [...paths, ...without, ...files.map((each) => each.path)]) mustBeInTree(path)
      const made = new Map(mirror.tree(base))
      const source = mirror.tree(from)
      for (const path of paths) {
        const entry = source.get(path)
        if (entry === undefined) made.delete(path)
        else put(made, path, entry)
      }
      for (const path of without) made.delete(path)
      for (const { path, content } of files) {
        const isExecutable = made.get(path)?.mode === '100755'
        put(made, path, { ...file(content), mode: isExecutable ? '100755' : '100644' })
      }
      return objects.putTree(made)
    },
    changedFiles: async (from, to) => changedFiles(mirror.tree(from), mirror.tree(to)),
    lineCounts: async (from, to) => lineCounts(mirror.tree(from), mirror.tree(to)),
    async contents(sha, paths) {
      const tree = mirror.tree(sha)
      return Object.fromEntries(paths.map((path) => [path, identityAt(tree, path.replace(/\/+$/, ''))]))
    },
    namesIn: async (sha, folder) => namesIn(mirror.tree(sha), folder.replace(/^\.?\/+|\/+$/g, '')),
    async texts(sha, { isWanted, files, bytes, fileBytes }) {
      const regular = [...mirror.tree(sha)].filter(([, { mode }]) => mode !== '120000')
      const asked = regular.filter(([path, entry]) => entry.bytes.length <= fileBytes && isWanted(path))
      let left = bytes
      const read = asked.slice(0, files).filter(([, entry]) => {
        if (entry.bytes.length > left) return false
        left -= entry.bytes.length
        return true
      })
      return {
        paths: regular.map(([path]) => path),
        texts: new Map(read.flatMap(([path, entry]) => (isText(entry) ? [[path, textOf(entry)]] : []))),
        whole: read.length === asked.length,
      }
    },
    async merge({ ours, theirs }) {
      mirror.commit(ours)
      mirror.commit(theirs)
      const merged = merge(objects, ours, theirs)
      if (merged === null) throw failed('fatal: refusing to merge unrelated histories')
      return merged
    },
    async conflictMarkers(sha, paths) {
      const tree = mirror.tree(sha)
      return paths.filter((path) => {
        const entry = tree.get(path)
        return entry !== undefined && entry.mode !== '120000' && /^(<<<<<<<|>>>>>>>) /m.test(textOf(entry))
      })
    },
    inside: () => reads,
    async hidden(under) {
      mustBeHidden(under)
      const kept = [...refs].filter(([ref]) => ref.startsWith(under)).sort(([a], [b]) => numeric.compare(a, b))
      return kept.map(([ref, sha]) => {
        const { tree, parents, at, message } = mirror.commit(sha)
        const subject = message.split('\n\n')[0]?.trim().replaceAll('\n', ' ') ?? ''
        return { ref, sha, tree, parent: parents[0] ?? null, at: inSeconds(at).toISOString(), subject }
      })
    },
    async forget(gone, signal) {
      for (const ref of gone) mustBeHidden(ref)
      signal.throwIfAborted()
      for (const ref of gone) refs.delete(ref)
    },
    async lfsPointers(sha) {
      const files = [...mirror.tree(sha)]
      const speaksOfIt = files.some(
        ([path, entry]) => /(^|\/)\.gitattributes$/.test(path) && textOf(entry).includes('filter=lfs'),
      )
      const pointer = /^version https:\/\/git-lfs\.github\.com\/spec\//m
      return speaksOfIt ? files.filter(([, entry]) => pointer.test(textOf(entry))).length : 0
    },
    tidy: async () => {},
  }
}

const inSeconds = (at: Date) => new Date(Math.floor(at.getTime() / 1_000) * 1_000)

function mustExist({ exists }: Mirror): void {
  if (!exists) throw failed('fatal: not a git repository')
}

/** The file at a path, or the files below it. */
function below(tree: Tree, path: string): Tree {
  return new Map([...tree].filter(([each]) => each === path || each.startsWith(`${path}/`)))
}

/** A file replaces a folder, and a folder replaces a file. */
function put(tree: Map<string, ReturnType<typeof file>>, path: string, entry: ReturnType<typeof file>): void {
  for (const each of [...tree.keys()]) if (each.startsWith(`${path}/`) || path.startsWith(`${each}/`)) tree.delete(each)
  tree.set(path, entry)
}

function noLongerKept(): DrydockError {
  return new DrydockError('not_found', 'Drydock no longer keeps this change: its story ended long ago.', {
    todo: 'See the merged result on its branch: drydock report   and: git log --grep Drydock-Story',
  })
}
