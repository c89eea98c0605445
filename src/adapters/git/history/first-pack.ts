import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { unlessMissing } from '../unless-missing.ts'

/**
 * Arguments of the fetch that fills a git directory: what comes is kept as one pack, and not taken
 * apart and written anew, which takes seconds for a big file. Later fetches are left to git, since
 * a pack for each would make a directory that lives for long ever slower.
 */
export async function keepFirstPack(gitDir: string): Promise<readonly string[]> {
  const files = (await unlessMissing(readdir(join(gitDir, 'objects', 'pack')))) ?? []
  return files.some((name) => name.endsWith('.pack')) ? [] : ['-c', 'fetch.unpackLimit=1']
}
