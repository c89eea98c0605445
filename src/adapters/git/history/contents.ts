import { posix } from 'node:path'
import { failed } from '../git.ts'
import type { ReadObject } from '../objects/read-objects.ts'
import { latin1Name, type TreeEntry, treeEntries } from '../objects/tree-entries.ts'

interface Asked {
  readonly sha: string
  readonly paths: readonly string[]
  readonly signal?: AbortSignal
}

/** See History.contents. */
export async function contents(
  objects: ReadObject,
  { sha, paths, signal }: Asked,
): Promise<Readonly<Record<string, string | null>>> {
  const folders = new Map<string, ReturnType<typeof entriesOf>>()
  const entryOf = async (path: string): Promise<string | null> => {
    const plain = posix.normalize(path).replace(/\/+$/, '')
    if (/^(?:|\.|\/.*|\.\.(?:\/.*)?)$/s.test(plain)) return null
    const folder = posix.dirname(plain)
    const known = folders.get(folder) ?? entriesOf(objects, { sha, folder, signal })
    folders.set(folder, known)
    const entry = (await known).get(latin1Name(posix.basename(plain)))
    return entry === undefined ? null : `${entry.mode} ${typeOf(entry)} ${entry.id}`
  }
  return Object.fromEntries(await Promise.all(paths.map(async (path) => [path, await entryOf(path)] as const)))
}

function typeOf({ mode }: TreeEntry): string {
  if (mode === '040000') return 'tree'
  return mode === '160000' ? 'commit' : 'blob'
}

interface Folder {
  readonly sha: string
  /** `.` for the root. */
  readonly folder: string
  readonly signal: AbortSignal | undefined
}

/** Empty unless the path is a folder. Throws DrydockError `git_failed` for an unknown commit. */
async function entriesOf(
  objects: ReadObject,
  { sha, folder, signal }: Folder,
): Promise<ReadonlyMap<string, TreeEntry>> {
  const name = folder === '.' ? `${sha}^{tree}` : `${sha}:${folder}`
  const found = await objects(name, { maxBytes: Number.MAX_SAFE_INTEGER, signal })
  if (found === null) await requireTree(objects, sha, signal)
  if (found?.type !== 'tree' || found.content === null) return new Map()
  return treeEntries(found.content, found.id.length / 2)
}

/** Throws DrydockError `git_failed` unless there is such a commit or tree. */
export async function requireTree(objects: ReadObject, sha: string, signal?: AbortSignal): Promise<void> {
  const tree = await objects(`${sha}^{tree}`, { maxBytes: 0, signal })
  if (tree === null) throw failed(['cat-file'], `${sha} is not a commit of the repository`)
}
