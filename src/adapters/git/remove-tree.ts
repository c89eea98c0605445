import { chmod, lstat, rm } from 'node:fs/promises'
import { find, openDirectories } from './find.ts'
import { unlessMissing } from './unless-missing.ts'

/** Removes whatever is at `path`, however its permissions were set. */
export async function removeTree(path: string): Promise<void> {
  const found = await unlessMissing(lstat(path))
  if (found === null) return
  if (found.isDirectory()) {
    await chmod(path, 0o700)
    await find(path, openDirectories)
  }
  await rm(path, { recursive: true, force: true })
}
