import { isContextFile, isContextFolder } from '../../../domain/story/context-folder.ts'
import { entriesOf } from '../history/contents.ts'
import type { ReadObject } from '../objects/read-objects.ts'
import { lastSnapshot } from './last-move.ts'

interface TreeSight {
  readonly gitDir: string
  readonly parent: string
  /** See Sight. */
  readonly digest: string | null
}

/** The tree of the last snapshot, as long as its parent and files are unchanged. */
export async function unchangedTree(
  objects: ReadObject,
  { gitDir, parent, digest }: TreeSight,
): Promise<string | null> {
  const [lastParent, tree, lastDigest] = (await lastSnapshot(gitDir).read())?.split(' ') ?? []
  if (tree === undefined || digest === null || digest !== lastDigest || parent !== lastParent) return null
  return (await objects(tree, { maxBytes: 0 })) === null ? null : tree
}

/** The digest does not cover the content of context files, so a tree with any is not kept. */
export async function rememberTree(
  objects: ReadObject,
  { gitDir, parent, digest, tree }: TreeSight & { readonly tree: string },
): Promise<void> {
  if (digest === null) return
  for (const [name, { id }] of (await entriesOf(objects, tree)) ?? []) {
    const below = isContextFolder(name) ? await entriesOf(objects, id) : null
    if (below !== null && [...below.keys()].some(isContextFile)) return
  }
  await lastSnapshot(gitDir).remember([parent, tree, digest].join(' '))
}
