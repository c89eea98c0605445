import { posix } from 'node:path'
import type { CommittedBytes } from '../../../ports/user-repository.ts'
import type { Git } from '../git.ts'

/** The entry of a tree for one name. */
export interface Entry {
  readonly mode: string
  readonly object: string
}

interface Along {
  /** The existing folders from the root, named '', down to the folder of the file. */
  readonly folders: readonly { readonly folder: string; readonly entries: ReadonlyMap<string, Entry> }[]
  /** Null if the object does not exist. */
  readonly file: CommittedBytes | null
}

interface ReadAlongInput {
  readonly git: Git
  readonly repository: string
  readonly sha: string
  readonly path: string
  readonly maxBytes: number
}

/** The limit for all trees together; larger ones are read one by one. */
const mostBytes = 1_048_576

/**
 * Reads a file of a commit and its folders with one git process, instead of one for each listing
 * and read. Null if this is impossible: for a path with control characters, a name that is not
 * UTF-8, or too much data.
 */
export async function readAlong({ git, repository, sha, path, maxBytes }: ReadAlongInput): Promise<Along | null> {
  if (/[\p{Cc}]/u.test(path)) return null
  const parts = posix.dirname(path) === '.' ? [] : posix.dirname(path).split('/')
  const folders = ['', ...parts.map((_, i) => parts.slice(0, i + 1).join('/'))]
  const wanted = [`${sha}^{tree}`, ...folders.slice(1).map((folder) => `${sha}:${folder}`), `${sha}:${path}`]
  const { stdout, truncated } = await git(['cat-file', '--batch'], {
    workTree: repository,
    input: wanted.map((name) => `${name}\n`).join(''),
    maxBytes: mostBytes + maxBytes,
    truncate: true,
  })
  const objects = truncated ? null : objectsIn(stdout, wanted)
  if (objects === null) return null
  const found: Along['folders'][number][] = []
  for (const [i, folder] of folders.entries()) {
    const object = objects[i]
    if (object?.type !== 'tree') break
    const entries = entriesIn(object.bytes, sha.length / 2)
    if (entries === null) return null
    found.push({ folder, entries })
  }
  if (found.length === 0) return null
  const file = objects.at(-1)
  if (file?.type !== 'blob') return { folders: found, file: null }
  return { folders: found, file: { bytes: Buffer.from(file.bytes.subarray(0, maxBytes)), size: file.bytes.length } }
}

interface GitObject {
  readonly type: string
  readonly bytes: Buffer
}

/**
 * Parses the output of `cat-file --batch` for each name, in order; null entries for missing
 * objects.
 */
function objectsIn(said: Buffer, names: readonly string[]): readonly (GitObject | null)[] | null {
  const found: (GitObject | null)[] = []
  let at = 0
  for (const name of names) {
    const end = said.indexOf('\n', at)
    if (end < 0) return null
    const header = said.toString('utf8', at, end)
    const [, type, size] = /^[0-9a-f]+ (\w+) (\d+)$/.exec(header) ?? []
    if (type === undefined && header !== `${name} missing`) return null
    found.push(type === undefined ? null : { type, bytes: said.subarray(end + 1, end + 1 + Number(size)) })
    at = type === undefined ? end + 1 : end + 1 + Number(size) + 1
  }
  return found
}

/** Parses a tree in git's format: mode, name, NUL, bytes of the id. Null if a name is not UTF-8. */
function entriesIn(tree: Buffer, idBytes: number): ReadonlyMap<string, Entry> | null {
  const entries = new Map<string, Entry>()
  for (let at = 0; at < tree.length; ) {
    const space = tree.indexOf(' ', at)
    const end = tree.indexOf(0, space)
    const raw = tree.subarray(space + 1, end)
    const name = raw.toString('utf8')
    if (!Buffer.from(name).equals(raw)) return null
    const object = tree.toString('hex', end + 1, end + 1 + idBytes)
    entries.set(name, { mode: tree.toString('latin1', at, space).padStart(6, '0'), object })
    at = end + 1 + idBytes
  }
  return entries
}
