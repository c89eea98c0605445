import type { ReadObject } from '../objects/read-objects.ts'
import { isFolder, type TreeEntries, type TreeEntry } from '../objects/tree-entries.ts'
import type { RawPath } from '../raw-path.ts'
import { entriesOf, noTree } from './contents.ts'

/** A path that differs between two trees, with its entry in each. */
export interface TreeChange {
  readonly path: RawPath
  readonly before: TreeEntry | null
  readonly after: TreeEntry | null
}

/**
 * Compares two commits or trees, in git's order. Reads only folders that differ. Throws
 * DrydockError `git_failed`.
 */
export async function treeChanges(
  objects: ReadObject,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<readonly TreeChange[]> {
  const changes: TreeChange[] = []
  const read = async (name: string) => (await entriesOf(objects, name)) ?? noTree(name)
  const compare = async (prefix: RawPath, [one, other]: readonly [TreeEntries, TreeEntries]): Promise<void> => {
    const [before, after] = [bySortKey(one), bySortKey(other)]
    const keys = [...new Set([...before.keys(), ...after.keys()])].sort()
    for (const key of keys) {
      const [old, now] = [before.get(key), after.get(key)]
      if (old?.id === now?.id && old?.mode === now?.mode) continue
      const path = `${prefix}${key}`
      if (!key.endsWith('/')) changes.push({ path, before: old ?? null, after: now ?? null })
      else await compare(path, (await Promise.all([old, now].map(below))) as [TreeEntries, TreeEntries])
    }
  }
  const below = async (entry: TreeEntry | undefined): Promise<TreeEntries> =>
    entry === undefined ? new Map() : read(entry.id)
  const [old, now] = await Promise.all([read(`${from}^{tree}`), read(`${to}^{tree}`)])
  await compare('', [old, now])
  return changes
}

/** Git sorts a folder as if its name ended with a slash, which also tells it from a file. */
function bySortKey(entries: TreeEntries): TreeEntries {
  return new Map([...entries].map(([name, entry]) => [isFolder(entry.mode) ? `${name}/` : name, entry]))
}
