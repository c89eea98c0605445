import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import type { AgentToolServers, AgentToolServing } from '../../ports/agent-tools.ts'

/** `version` is what the server calls its own. */
export function createAgentToolServers(version: string): AgentToolServers {
  return {
    async open(serving) {
      // Only a Run with a foreign agent needs what it is made of.
      const { serveAgentTools } = await import('./serve-agent-tools.ts')
      const connections = new Map<Socket, () => Promise<void>>()
      const server = createServer((socket) => {
        socket.on('error', () => undefined)
        socket.once('close', () => connections.delete(socket))
        connections.set(socket, serveAgentTools(socket, { ...serving, version }))
      })
      await listen(server, serving)
      return {
        async close() {
          const closed = once(server, 'close')
          server.close()
          await Promise.all([...connections.values()].map((end) => end()))
          for (const socket of connections.keys()) socket.destroy()
          await closed
        },
      }
    },
  }
}

/** What is at the path is of a process that was killed. */
async function listen(
  server: ReturnType<typeof createServer>,
  { socket }: Pick<AgentToolServing, 'socket'>,
): Promise<void> {
  await rm(socket, { force: true })
  server.listen(socket)
  await once(server, 'listening')
}
