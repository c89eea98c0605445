import { createHash } from 'node:crypto'
import { lstat, mkdir } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { dirname, join } from 'node:path'

/** The folder for sockets whose own folder has a path too long for one. */
export function shortSocketFolder(): string {
  return join('/tmp', `drydock-${userInfo().uid}`)
}

/** The longest path of a socket on every system, with some margin. */
const longestPath = 100

/** The path of a state's socket: in the state, or below /tmp if that path is too long. */
export function socketPath(state: string, name: 'owner' | 'door'): string {
  const path = join(state, `${name}.sock`)
  if (Buffer.byteLength(path) <= longestPath) return path
  // Keeps the old name for the owner's socket, so that older versions find it.
  const named = name === 'owner' ? state : `${state}/${name}`
  const hash = createHash('sha256').update(named).digest('hex').slice(0, 24)
  return join(shortSocketFolder(), `${hash}.sock`)
}

/**
 * Makes a folder for sockets. Returns true if it is private: in a folder where everybody may create
 * folders, it must belong to the user, or somebody else could replace the socket.
 */
export async function makeSocketFolder(folder: string): Promise<boolean> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const above = await lstat(dirname(folder))
  if ((above.mode & 0o002) === 0) return true
  const { uid, mode } = await lstat(folder)
  return uid === userInfo().uid && (mode & 0o022) === 0
}
