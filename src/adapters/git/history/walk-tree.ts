import type { ReadObject } from '../objects/read-objects.ts'
import { isFolder, type TreeEntry } from '../objects/tree-entries.ts'
import type { RawPath } from '../raw-path.ts'
import { entriesOf, noTree } from './contents.ts'

interface FileAt {
  readonly path: RawPath
  readonly entry: TreeEntry
}

/**
 * The entries of a commit or tree that are no folders, in git's order. Throws DrydockError
 * `git_failed`.
 */
export async function walkTree(
  objects: ReadObject,
  { sha, signal }: { readonly sha: string; readonly signal: AbortSignal },
  folder: RawPath = '',
): Promise<readonly FileAt[]> {
  const entries = (await entriesOf(objects, `${sha}^{tree}`, signal)) ?? noTree(sha)
  const found = [...entries].map(([name, entry]) => {
    const path = `${folder}${name}`
    return isFolder(entry.mode) ? walkTree(objects, { sha: entry.id, signal }, `${path}/`) : [{ path, entry }]
  })
  return (await Promise.all(found)).flat()
}
