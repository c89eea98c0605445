import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { unlessMissing } from '../unless-missing.ts'

/**
 * Arguments for the fetch that fills a git directory: the received pack is kept as it is, since
 * unpacking a big file takes seconds. Later fetches are left to git, since one pack per fetch would
 * make a long-lived directory ever slower.
 */
export async function keepFirstPack(gitDir: string): Promise<readonly string[]> {
  const files = (await unlessMissing(readdir(join(gitDir, 'objects', 'pack')))) ?? []
  return files.some((name) => name.endsWith('.pack')) ? [] : ['-c', 'fetch.unpackLimit=1']
}
