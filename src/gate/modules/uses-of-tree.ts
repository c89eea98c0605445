import { isForGraph, moduleGraph } from '../../domain/gate/modules/build-graph.ts'
import { moduleTree } from '../../domain/gate/modules/module-tree.ts'
import { type Uses, usesOf } from '../../domain/gate/modules/uses.ts'
import { limits } from '../../domain/limits.ts'
import type { History } from '../../ports/history.ts'

interface GraphDeps {
  readonly history: History
}

/** The most recently used trees, by history. */
const kept = new WeakMap<History, Map<string, Promise<Uses | null>>>()

/**
 * Finds the uses between the files of a commit: the graph of its modules (`uses.graph`), its tests,
 * and the files that its product reaches. Null if the tree has more modules than are read. A file
 * that is too large to be written by hand loads nothing. Each tree is read once.
 */
export async function usesOfTree({ history }: GraphDeps, sha: string, signal: AbortSignal): Promise<Uses | null> {
  const tree = await history.tree(sha)
  const trees = kept.get(history) ?? new Map<string, Promise<Uses | null>>()
  kept.set(history, trees)
  for (let known = trees.get(tree); known !== undefined; known = trees.get(tree)) {
    const uses = await known.catch(() => 'again' as const)
    if (uses !== 'again') return uses
    signal.throwIfAborted()
  }
  const [oldest] = trees.keys()
  if (trees.size >= limits.modules.trees && oldest !== undefined) trees.delete(oldest)
  const read = readUses({ history }, sha, signal)
  trees.set(tree, read)
  // A read may fail because its first caller was aborted; waiting callers then read again.
  read.catch(() => trees.get(tree) === read && trees.delete(tree))
  return read
}

async function readUses({ history }: GraphDeps, sha: string, signal: AbortSignal): Promise<Uses | null> {
  const { files, bytes, fileBytes } = limits.modules
  const texts = await history.texts(sha, { isWanted: isForGraph, files, bytes, fileBytes, signal })
  if (!texts.whole) return null
  const tree = moduleTree(texts)
  return usesOf(tree, moduleGraph(tree))
}
