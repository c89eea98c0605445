import type { ReadObject } from '../objects/read-objects.ts'
import { isFolder, type TreeEntries, type TreeEntry } from '../objects/tree-entries.ts'
import type { RawPath } from '../raw-path.ts'
import { entriesOf, noTree } from './contents.ts'

interface FileAt {
  readonly path: RawPath
  readonly entry: TreeEntry
}

interface Walk {
  /** A commit or a tree. */
  readonly sha: string
  /**
   * The most files and folders that are visited, since a tree may name the same folder many times.
   */
  readonly most: number
  readonly signal: AbortSignal
}

/**
 * The entries of a commit or tree except folders, in git's order; `isWhole` is false if there are
 * more. Throws DrydockError `git_failed`.
 */
export async function walkTree(
  objects: ReadObject,
  walk: Walk,
): Promise<{ readonly files: readonly FileAt[]; readonly isWhole: boolean }> {
  const top = `${walk.sha}^{tree}`
  const folders = await foldersOf(objects, top, walk)
  const files: FileAt[] = []
  const todo = [{ path: '', entry: { mode: '040000', id: top } }]
  let isWhole = true
  for (let visited = 0; visited <= walk.most; visited += 1) {
    const next = todo.pop()
    if (next === undefined) return { files, isWhole }
    const { path, entry } = next
    if (!isFolder(entry.mode)) {
      files.push(next)
      continue
    }
    const below = folders.get(entry.id)
    if (below === undefined) isWhole = false
    const prefix = path === '' ? '' : `${path}/`
    for (const [name, each] of [...(below ?? [])].reverse()) todo.push({ path: `${prefix}${name}`, entry: each })
  }
  return { files, isWhole: todo.length === 0 && isWhole }
}

/** The folders by their ids, each read once, until the number of entries reaches the limit. */
async function foldersOf(
  objects: ReadObject,
  top: string,
  { most, signal }: Walk,
): Promise<ReadonlyMap<string, TreeEntries>> {
  const folders = new Map<string, TreeEntries>()
  let entries = 0
  for (let todo = [top]; todo.length > 0 && entries <= most; ) {
    const read = async (id: string) => [id, (await entriesOf(objects, id, signal)) ?? noTree(id)] as const
    const found = await Promise.all(todo.map(read))
    for (const [id, each] of found) {
      folders.set(id, each)
      entries += each.size
    }
    const below = found.flatMap(([, each]) => [...each.values()].filter(({ mode }) => isFolder(mode)))
    todo = [...new Set(below.map(({ id }) => id))].filter((id) => !folders.has(id))
  }
  return folders
}
