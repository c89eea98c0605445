import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { exposedSockets } from '../../domain/exposed-sockets.ts'
import type { AgentHomes } from '../../ports/agent-homes.ts'
import { makeSocketFolder, shortSocketFolder } from '../../processes/socket-folder.ts'
import { removeFolder } from './remove-folder.ts'

/** The longest path that leaves room for a socket's name. */
const longestFolder = 85

/** `agents/` of a state: one folder per lane, named by a hash of the lane's id. */
export function createAgentHomes(state: string): AgentHomes {
  const root = join(state, 'agents')
  const folderOf = (lane: string) => join(root, hashOf(lane))

  /**
   * Sockets lie in the lane's own folder, or below /tmp when that path is too long for a socket.
   */
  function socketsOf(lane: string): string {
    const folder = join(folderOf(lane), 's')
    if (Buffer.byteLength(folder) <= longestFolder) return folder
    return join(shortSocketFolder(), hashOf(folder))
  }

  return {
    async open(lane) {
      const home = join(folderOf(lane), 'home')
      const sockets = socketsOf(lane)
      await mkdir(home, { recursive: true, mode: 0o700 })
      if (!(await makeSocketFolder(dirname(sockets)))) throw exposedSockets(dirname(sockets))
      await mkdir(sockets, { recursive: true, mode: 0o700 })
      await writeFile(join(folderOf(lane), 'lane'), lane)
      return { home, sockets }
    },
    async lanes() {
      const names = await readdir(root).catch(() => [])
      const lanes = names.map((name) => readFile(join(root, name, 'lane'), 'utf8').catch(() => null))
      return (await Promise.all(lanes)).filter((lane) => lane !== null)
    },
    async remove(lane) {
      await removeFolder(socketsOf(lane))
      await removeFolder(folderOf(lane))
    },
  }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}
