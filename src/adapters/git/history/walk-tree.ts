import type { ReadObject } from '../objects/read-objects.ts'
import { isFolder, type TreeEntry } from '../objects/tree-entries.ts'
import type { RawPath } from '../raw-path.ts'
import { entriesOf, noTree } from './contents.ts'

/**
 * The entries of a commit or tree that are no folders, in git's order. Throws DrydockError
 * `git_failed`.
 */
export async function* walkTree(
  objects: ReadObject,
  { sha, signal }: { readonly sha: string; readonly signal: AbortSignal },
  folder: RawPath = '',
): AsyncGenerator<{ readonly path: RawPath; readonly entry: TreeEntry }> {
  const entries = (await entriesOf(objects, `${sha}^{tree}`, signal)) ?? noTree(sha)
  for (const [name, entry] of entries) {
    const path = `${folder}${name}`
    if (isFolder(entry.mode)) yield* walkTree(objects, { sha: entry.id, signal }, `${path}/`)
    else yield { path, entry }
  }
}
