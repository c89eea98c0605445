import { createHash } from 'node:crypto'
import { chmod, lstat, mkdir, rm } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { DrydockError } from '../../domain/drydock-error.ts'

/** The longest path that a socket may have everywhere, with room to spare. */
const longestPath = 100

/** Where the owner of a state listens: in the state, or below /tmp when that path is too long for a socket. */
export function ownerSocketPath(state: string): string {
  const path = join(state, 'owner.sock')
  if (Buffer.byteLength(path) <= longestPath) return path
  const hash = createHash('sha256').update(state).digest('hex').slice(0, 24)
  return join('/tmp', `drydock-${userInfo().uid}`, `${hash}.sock`)
}

export interface OwnerSocket {
  /** Tells everyone who follows that something was committed. */
  announce(): void
  close(): Promise<void>
}

/** Listens as the owner, which only one process is, so that what is at the path is left over. */
export async function listenAsOwner(path: string, onWake: () => void): Promise<OwnerSocket> {
  const followers = new Set<Socket>()
  const server = createServer((socket) => {
    followers.add(socket)
    socket.on('data', onWake)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => followers.delete(socket))
  })
  await makePrivate(dirname(path))
  await rm(path, { force: true })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(path, resolve))
  await chmod(path, 0o600)
  return {
    announce() {
      // A follower that reads nothing is not written to without end.
      for (const socket of followers) if (socket.writableLength === 0) socket.write('.')
    },
    async close() {
      for (const socket of followers) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Below /tmp, or where else anyone may write, the folder could have been taken by someone first. DrydockError `bad_config`. */
async function makePrivate(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const above = await lstat(dirname(folder))
  if ((above.mode & 0o002) === 0) return
  const { uid, mode } = await lstat(folder)
  if (uid === userInfo().uid && (mode & 0o022) === 0) return
  throw new DrydockError('bad_config', `Others than you can write to ${folder}, where the state's socket would be.`, {
    todo: `Run: chmod 700 ${folder}; if it is not yours, point DRYDOCK_HOME to a folder with a shorter path.`,
  })
}

export interface OwnerConnection {
  /** Has the owner look for commands. */
  wake(): void
  close(): void
}

/** Connects to the owner; null when nobody listens. */
export async function connectToOwner(
  path: string,
  on: { readonly change: () => void; readonly gone: () => void },
): Promise<OwnerConnection | null> {
  const socket = connect(path)
  const connected = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true))
    socket.once('error', () => resolve(false))
  })
  if (!connected) return null
  socket.on('error', () => socket.destroy())
  socket.on('data', on.change)
  socket.on('close', on.gone)
  return { wake: () => socket.write('.'), close: () => socket.destroy() }
}
