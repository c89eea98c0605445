import { posix } from 'node:path'
import { failed } from '../git.ts'
import type { ReadObject } from '../objects/read-objects.ts'
import { isFolder, latin1Name, type TreeEntries, type TreeEntry, treeEntries } from '../objects/tree-entries.ts'
import type { RawPath } from '../raw-path.ts'

interface ContentQuery {
  /** A commit or a tree. */
  readonly sha: string
  readonly signal?: AbortSignal | undefined
}

/** Implements History.contents. */
export async function contents(
  objects: ReadObject,
  { sha, paths, signal }: ContentQuery & { readonly paths: readonly string[] },
): Promise<Readonly<Record<string, string | null>>> {
  const plain = paths.map((path) => posix.normalize(path).replace(/\/+$/, ''))
  const isInside = (path: string) => !/^(?:|\.|\/.*|\.\.(?:\/.*)?)$/s.test(path)
  const found = await entriesAt(objects, { sha, signal, paths: plain.filter(isInside).map(latin1Name) })
  return Object.fromEntries(
    paths.map((path, i) => {
      const entry = found.get(latin1Name(plain[i] ?? ''))
      return [path, entry === undefined ? null : `${entry.mode} ${typeOf(entry)} ${entry.id}`]
    }),
  )
}

function typeOf({ mode }: TreeEntry): string {
  if (isFolder(mode)) return 'tree'
  return mode === '160000' ? 'commit' : 'blob'
}

/** The entries at those paths that exist. Each folder is read only once. */
export async function entriesAt(
  objects: ReadObject,
  { sha, paths, signal }: ContentQuery & { readonly paths: readonly RawPath[] },
): Promise<ReadonlyMap<RawPath, TreeEntry>> {
  const folders = new Map<RawPath, Promise<TreeEntries>>()
  const below = (folder: RawPath): Promise<TreeEntries> => {
    const known = folders.get(folder) ?? read(folder)
    folders.set(folder, known)
    return known
  }
  const read = async (folder: RawPath): Promise<TreeEntries> => {
    if (folder === '.') return (await entriesOf(objects, `${sha}^{tree}`, signal)) ?? noTree(sha)
    const entry = (await below(posix.dirname(folder))).get(posix.basename(folder))
    if (entry === undefined || !isFolder(entry.mode)) return new Map()
    return (await entriesOf(objects, entry.id, signal)) ?? noTree(sha)
  }
  const found = await Promise.all(
    paths.map(async (path) => [path, (await below(posix.dirname(path))).get(posix.basename(path))] as const),
  )
  return new Map(found.filter((each): each is readonly [RawPath, TreeEntry] => each[1] !== undefined))
}

/** The entries of a tree; null if no tree has that name. */
export async function entriesOf(objects: ReadObject, name: string, signal?: AbortSignal): Promise<TreeEntries | null> {
  const found = await objects(name, { maxBytes: Number.MAX_SAFE_INTEGER, signal })
  return found?.type === 'tree' && found.content !== null ? treeEntries(found.content, found.id.length / 2) : null
}

/** Throws DrydockError `git_failed`. */
export function noTree(sha: string): never {
  throw failed(['cat-file'], `${sha} is not a commit of the repository`)
}
