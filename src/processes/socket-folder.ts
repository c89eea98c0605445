import { createHash } from 'node:crypto'
import { lstat, mkdir } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { dirname, join } from 'node:path'

/** For sockets of a folder whose own path is too long for one. */
export function shortSocketFolder(): string {
  return join('/tmp', `drydock-${userInfo().uid}`)
}

/** The longest path that a socket may have everywhere, with room to spare. */
const longestPath = 100

/**
 * Where a socket of a state is: in the state, or below /tmp when that path is too long for one.
 */
export function socketPath(state: string, name: 'owner' | 'door'): string {
  const path = join(state, `${name}.sock`)
  if (Buffer.byteLength(path) <= longestPath) return path
  // The owner of a state is found by older versions, too.
  const named = name === 'owner' ? state : `${state}/${name}`
  const hash = createHash('sha256').update(named).digest('hex').slice(0, 24)
  return join(shortSocketFolder(), `${hash}.sock`)
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
