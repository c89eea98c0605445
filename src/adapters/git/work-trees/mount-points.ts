import { lstat, mkdir, stat, utimes } from 'node:fs/promises'
import { dirname, isAbsolute, join } from 'node:path'
import { unlessMissing } from '../unless-missing.ts'

/**
 * Implements WorkTrees.makeMountPoints. The folders that it makes get the times of their parent
 * folder.
 */
export async function makeMountPoints(folder: string, paths: readonly string[]): Promise<readonly string[]> {
  if (!isAbsolute(folder)) throw new Error(`${JSON.stringify(folder)} is not an absolute path`)
  const made: string[] = []
  for (const path of paths) if (isPlain(path) && (await madeDirectories(folder, path))) made.push(path)
  return made
}

/** True for a relative path of plain names, none of which is git's. */
function isPlain(path: string): boolean {
  return !path.includes('\0') && path.split('/').every((part) => part !== '' && !/^(\.{1,2}|\.git)$/i.test(part))
}

/** Checks each step, since a recursive mkdir would follow a link that an agent left on the way. */
async function madeDirectories(folder: string, path: string): Promise<boolean> {
  let place = folder
  for (const part of path.split('/')) {
    place = join(place, part)
    if (!(await isOrBecomesDirectory(place))) return false
  }
  return true
}

const impossible = ['EACCES', 'ENAMETOOLONG']

async function isOrBecomesDirectory(place: string): Promise<boolean> {
  try {
    const found = await unlessMissing(lstat(place))
    if (found !== null) return found.isDirectory()
    const { atime, mtime } = await stat(dirname(place))
    // Another sandbox on the same folder may make it at the same time.
    await mkdir(place).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    })
    for (const each of [place, dirname(place)]) await utimes(each, atime, mtime)
    return (await lstat(place)).isDirectory()
  } catch (error) {
    if (impossible.includes((error as NodeJS.ErrnoException).code ?? '')) return false
    throw error
  }
}
