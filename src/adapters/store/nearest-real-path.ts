import { realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** The real path, also for a path that does not exist yet. */
export async function nearestRealPath(path: string): Promise<string> {
  return realpath(path).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    return join(await nearestRealPath(dirname(path)), basename(path))
  })
}
