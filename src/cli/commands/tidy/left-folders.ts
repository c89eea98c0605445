import { lstat, readdir, realpath } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { temporaryFolders } from '../../../domain/temporary-folders.ts'
import { isUsed, openPaths } from './open-paths.ts'

/**
 * Temporary folders of Drydock and of this user that no process uses, and that are unchanged since
 * then. Empty if the system does not tell which paths are in use.
 */
export async function leftFolders(since: Date): Promise<readonly string[]> {
  const paths = await openPaths()
  if (paths === null) return []
  const parent = await realpath(tmpdir())
  const prefixes = Object.values(temporaryFolders)
  const names = (await readdir(parent)).filter((name) => prefixes.some((prefix) => name.startsWith(prefix)))
  const folders = await Promise.all(
    names.map(async (name) => {
      const folder = join(parent, name)
      const found = await lstat(folder).catch(() => null)
      const isOwn = found?.isDirectory() === true && found.uid === userInfo().uid
      const isOld = found !== null && found.mtimeMs <= since.getTime()
      return isOwn && isOld && !isUsed(folder, paths) ? [folder] : []
    }),
  )
  return folders.flat()
}
