import { posix } from 'node:path'
import type { UserRepository } from '../../../ports/user-repository.ts'
import type { Git } from '../git.ts'

/**
 * Reads files of commits. A commit never changes, so each folder is listed once and each file read
 * once, and what a listing does not name is not asked for.
 */
export function createFileReads(userGit: Git, repository: string): UserRepository['fileAt'] {
  const known = new Map<string, Promise<unknown>>()
  function once<T>(key: readonly (string | number)[], read: () => Promise<T>): Promise<T> {
    const id = JSON.stringify(key)
    const reading = (known.get(id) as Promise<T> | undefined) ?? read()
    known.set(id, reading)
    reading.catch(() => known.delete(id))
    return reading
  }

  /** The mode of each entry of a folder by its name; null for what is no folder. */
  const list = (sha: string, folder: string): Promise<ReadonlyMap<string, string> | null> =>
    once(['list', sha, folder], async () => {
      if (folder !== '' && (await modeOf(sha, folder)) !== '040000') return null
      const place = folder === '' ? [] : ['--', `${folder}/`]
      const { stdout } = await userGit(['ls-tree', '-z', '--full-tree', sha, ...place], { workTree: repository })
      const entries = stdout.toString('utf8').split('\0').filter(Boolean)
      return new Map(entries.map((entry) => [posix.basename(entry.slice(entry.indexOf('\t') + 1)), entry.slice(0, 6)]))
    })

  const modeOf = async (sha: string, path: string) => {
    const folder = posix.dirname(path)
    return (await list(sha, folder === '.' ? '' : folder))?.get(posix.basename(path)) ?? null
  }

  return async (sha, path, maxBytes) => {
    if (!(await modeOf(sha, path))?.startsWith('100')) return null
    return once(['file', sha, path, maxBytes], async () => {
      const options = { workTree: repository, maxBytes, truncate: true }
      return (await userGit(['cat-file', 'blob', `${sha}:${path}`], options)).stdout.toString('utf8')
    })
  }
}
