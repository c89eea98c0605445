import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { limits } from '../../domain/limits.ts'
import type { AgentToolServers, AgentToolServing } from '../../ports/agent-tools.ts'

/** `version` is the version that the server reports. */
export function createAgentToolServers(version: string): AgentToolServers {
  return {
    async open(serving) {
      // Loaded here, since only Runs with a foreign agent need it.
      const { serveAgentTools } = await import('./serve-agent-tools.ts')
      const connections = new Map<Socket, () => Promise<void>>()
      const server = createServer((socket) => {
        socket.on('error', () => undefined)
        socket.once('close', () => connections.delete(socket))
        connections.set(socket, serveAgentTools(socket, { ...serving, version }))
      })
      server.maxConnections = limits.agentTurn.toolConnections
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

/** A socket file that is already there was left by a killed process. */
async function listen(
  server: ReturnType<typeof createServer>,
  { socket }: Pick<AgentToolServing, 'socket'>,
): Promise<void> {
  await rm(socket, { force: true })
  server.listen(socket)
  await once(server, 'listening')
}
