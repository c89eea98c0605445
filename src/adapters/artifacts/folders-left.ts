import { lstat } from 'node:fs/promises'
import { join } from 'node:path'

/** See RunFolder.foldersLeft. */
export async function foldersLeft(overlay: string, paths: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(paths.map((path) => isLeft(overlay, path.split('/'))))
  return paths.filter((_, i) => found[i])
}

/**
 * A folder of the overlay may hide what lies below it, which cannot be seen from here: then only
 * what the overlay itself has is sure to be there.
 */
async function isLeft(overlay: string, parts: readonly string[]): Promise<boolean> {
  let place = overlay
  for (const [i, part] of parts.entries()) {
    place = join(place, part)
    const stats = await lstat(place).catch(() => null)
    if (stats === null) return i === 0
    // A removed file or folder is a device there.
    if (!stats.isDirectory()) return false
  }
  return true
}
