import { lstat, mkdir } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { dirname, join } from 'node:path'

/** For sockets of a folder whose own path is too long for one. */
export function shortSocketFolder(): string {
  return join('/tmp', `drydock-${userInfo().uid}`)
}

/**
 * Makes a folder for sockets. Returns whether it is private: where everybody may make folders, it
 * must be the user's own, or somebody else could put a socket in its place.
 */
export async function makeSocketFolder(folder: string): Promise<boolean> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const above = await lstat(dirname(folder))
  if ((above.mode & 0o002) === 0) return true
  const { uid, mode } = await lstat(folder)
  return uid === userInfo().uid && (mode & 0o022) === 0
}
