import { chmod, lstat, rm } from 'node:fs/promises'
import { unlessMissing } from '../unless-missing.ts'
import { find, openDirectories } from './find.ts'

/** Removes the file or folder at `path`, whatever its permissions. */
export async function removeTree(path: string): Promise<void> {
  const remove = () => rm(path, { recursive: true, force: true })
  try {
    await remove()
  } catch (error) {
    if (!(await unlessMissing(lstat(path)))?.isDirectory()) throw error
    await chmod(path, 0o700)
    await find(path, openDirectories)
    await remove()
  }
}
