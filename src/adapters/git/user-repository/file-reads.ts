import { posix } from 'node:path'
import type { UserRepository } from '../../../ports/user-repository.ts'
import type { Git } from '../git.ts'
import { createBlobReads } from './blob-reads.ts'
import { type Entry, readAlong } from './read-along.ts'

/** The limit for git's listing of folders, which takes about 100 bytes per entry. */
const mostListBytes = 4 * 1024 ** 2

/** The entries by their paths from the root. */
type Entries = ReadonlyMap<string, Entry>

interface ListOptions {
  /** Lists the root if left out. */
  readonly paths?: readonly string[]
  readonly isDeep?: boolean
}

/**
 * Reads files of commits. A commit never changes, so each folder is listed once and each file read
 * once, and paths that are missing from a listing are not read.
 */
export function createFileReads(
  userGit: Git,
  repository: string,
): Pick<UserRepository, 'fileAt' | 'filesAt' | 'entriesBelow'> {
  const readBlob = createBlobReads(userGit, repository)
  const known = new Map<string, Promise<unknown>>()
  function once<T>(key: readonly unknown[], read: () => Promise<T>): Promise<T> {
    const id = JSON.stringify(key)
    const reading = (known.get(id) as Promise<T> | undefined) ?? read()
    known.set(id, reading)
    reading.catch(() => known.delete(id))
    return reading
  }

  /** All entries that any listing of a commit has contained. */
  const named = new Map<string, Map<string, Entry>>()

  const list = (sha: string, { paths = [], isDeep = false }: ListOptions = {}): Promise<Entries> =>
    once(['list', sha, paths, isDeep], async () => {
      const args = ['ls-tree', '-z', '--full-tree', ...(isDeep ? ['-r'] : []), sha]
      const options = { workTree: repository, ...(isDeep && { maxBytes: mostListBytes, truncate: true }) }
      const { stdout } = await userGit([...args, ...(paths.length === 0 ? [] : ['--', ...paths])], options)
      const entries = stdout.toString('utf8').split('\0').slice(0, -1).map(entryOf)
      const ofCommit = named.get(sha) ?? new Map<string, Entry>()
      for (const [path, entry] of entries) ofCommit.set(path, entry)
      named.set(sha, ofCommit)
      return new Map(entries)
    })

  /** Null if the tree has no such path. */
  async function entryAt(sha: string, path: string): Promise<Entry | null> {
    const folder = posix.dirname(path)
    if (folder === '.') return (await list(sha)).get(path) ?? null
    if ((await entryAt(sha, folder))?.mode !== '040000') return null
    return (await list(sha, { paths: [`${folder}/`] })).get(path) ?? null
  }

  /** Selects the paths whose first part exists in the root. */
  async function rooted(sha: string, paths: readonly string[]): Promise<readonly string[]> {
    const root = await list(sha)
    return paths.filter((path) => root.has(topOf(path)))
  }

  /** The first file of a commit is read together with its folders, by one git process. */
  const readFirst = (sha: string, path: string, maxBytes: number) =>
    once(['first', sha, path], async () => {
      const found = await readAlong({ git: userGit, repository, sha, path, maxBytes })
      if (found === null) return
      const ofCommit = new Map<string, Entry>()
      for (const { folder, entries } of found.folders) {
        const below = new Map([...entries].map(([name, entry]) => [posix.join(folder, name), entry] as const))
        for (const [name, entry] of below) ofCommit.set(name, entry)
        const paths = folder === '' ? [] : [`${folder}/`]
        known.set(JSON.stringify(['list', sha, paths, false]), Promise.resolve(below))
      }
      named.set(sha, ofCommit)
      const object = ofCommit.get(path)?.object
      if (found.file !== null && object !== undefined)
        known.set(JSON.stringify(['read', object, maxBytes]), Promise.resolve(found.file))
    })

  const read = (object: string, maxBytes: number) => once(['read', object, maxBytes], () => readBlob(object, maxBytes))

  return {
    async fileAt(sha, path, maxBytes) {
      if (!named.has(sha)) await readFirst(sha, path, maxBytes)
      const entry = await entryAt(sha, path)
      return entry && isFile(entry) ? (await read(entry.object, maxBytes)).bytes.toString('utf8') : null
    },

    async filesAt(sha, paths, maxBytes) {
      const asked = await rooted(sha, paths)
      const unknown = asked.filter((path) => path.includes('/') && !named.get(sha)?.has(path))
      if (unknown.length > 0) await list(sha, { paths: unknown })
      return Promise.all(
        paths.map(async (path) => {
          const entry = named.get(sha)?.get(path)
          if (entry !== undefined && isFile(entry)) return read(entry.object, maxBytes)
          return asked.includes(path) ? 'not_a_file' : 'absent'
        }),
      )
    },

    async entriesBelow(sha, folders) {
      const asked = await rooted(sha, folders)
      const found = asked.length === 0 ? new Map<string, Entry>() : await list(sha, { paths: asked, isDeep: true })
      const links = [...(await list(sha))].filter(
        ([path, { mode }]) => isLink(mode) && folders.map(topOf).includes(path),
      )
      return [...found, ...links].map(([path, { mode }]) => ({ path, isLink: isLink(mode) }))
    },
  }
}

function entryOf(line: string): [string, Entry] {
  const tab = line.indexOf('\t')
  const [mode = '', , object = ''] = line.slice(0, tab).split(' ')
  return [line.slice(tab + 1), { mode, object }]
}

function topOf(path: string): string {
  return path.split('/')[0] ?? ''
}

function isFile({ mode }: Entry): boolean {
  return mode.startsWith('100')
}

function isLink(mode: string): boolean {
  return mode === '120000'
}
