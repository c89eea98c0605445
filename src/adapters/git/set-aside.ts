import { mkdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { userPath } from './raw-path.ts'

/**
 * Moves what git cannot take out of a work tree into a folder of its own below `folder`, so that the rest can be kept and nothing is lost. Nobody else
 * may work in the tree meanwhile.
 */
export async function setAside(workTree: string, folder: string, paths: readonly string[]): Promise<void> {
  for (const [i, path] of paths.entries()) {
    const place = join(folder, String(i + 1))
    await mkdir(place, { recursive: true, mode: 0o700 })
    const target = userPath(place, path.split('/').at(-1) ?? path)
    await rename(userPath(workTree, path), target)
  }
}
