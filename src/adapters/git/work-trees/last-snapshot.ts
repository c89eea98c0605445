import { isContextFile, isContextFolder } from '../../../domain/story/context-folder.ts'
import { entriesOf } from '../history/contents.ts'
import type { ReadObject } from '../objects/read-objects.ts'
import { lastSnapshot } from './last-move.ts'

interface Seen {
  readonly gitDir: string
  readonly parent: string
  /** See Sight. */
  readonly digest: string | null
}

/** The tree of the last snapshot, as long as parent and files are as they were then. */
export async function unchangedTree(objects: ReadObject, { gitDir, parent, digest }: Seen): Promise<string | null> {
  const [lastParent, tree, lastDigest] = (await lastSnapshot(gitDir).read())?.split(' ') ?? []
  if (tree === undefined || digest === null || digest !== lastDigest || parent !== lastParent) return null
  return (await objects(tree, { maxBytes: 0 })) === null ? null : tree
}

/** The digest says nothing of the content of context files: a tree that has any is not kept. */
export async function rememberTree(
  objects: ReadObject,
  { gitDir, parent, digest, tree }: Seen & { readonly tree: string },
): Promise<void> {
  if (digest === null) return
  for (const [name, { id }] of (await entriesOf(objects, tree)) ?? []) {
    const below = isContextFolder(name) ? await entriesOf(objects, id) : null
    if (below !== null && [...below.keys()].some(isContextFile)) return
  }
  await lastSnapshot(gitDir).remember([parent, tree, digest].join(' '))
}
