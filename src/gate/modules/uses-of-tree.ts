import { isForGraph, moduleGraph } from '../../domain/gate/modules/build-graph.ts'
import { moduleTree } from '../../domain/gate/modules/module-tree.ts'
import { type Uses, usesOf } from '../../domain/gate/modules/uses.ts'
import { limits } from '../../domain/limits.ts'
import type { History } from '../../ports/history.ts'

interface GraphDeps {
  readonly history: History
}

/** For each history the trees that were asked for last. */
const kept = new WeakMap<History, Map<string, Promise<Uses | null>>>()

/**
 * How the files of a commit use each other: the graph of its modules (`uses.graph`), its tests, and
 * what its product reaches. Null where the tree has more modules than are read. A file that is too
 * large to be written by hand loads nothing. Each tree is read once.
 */
export async function usesOfTree({ history }: GraphDeps, sha: string, signal: AbortSignal): Promise<Uses | null> {
  const tree = await history.tree(sha)
  const trees = kept.get(history) ?? new Map<string, Promise<Uses | null>>()
  kept.set(history, trees)
  const known = trees.get(tree)
  if (known !== undefined) return known
  const [oldest] = trees.keys()
  if (trees.size >= limits.modules.trees && oldest !== undefined) trees.delete(oldest)
  const read = readUses({ history }, sha, signal)
  trees.set(tree, read)
  // Whoever asked may have been ended.
  read.catch(() => trees.delete(tree))
  return read
}

async function readUses({ history }: GraphDeps, sha: string, signal: AbortSignal): Promise<Uses | null> {
  const { files, bytes, fileBytes } = limits.modules
  const texts = await history.texts(sha, { isWanted: isForGraph, files, bytes, fileBytes, signal })
  if (!texts.whole) return null
  const tree = moduleTree(texts)
  return usesOf(tree, moduleGraph(tree))
}
