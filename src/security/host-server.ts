import { once } from 'node:events'
import { createServer } from 'node:net'

export interface HostServer extends AsyncDisposable {
  readonly port: number
  /** The number of received connections. */
  readonly reached: () => number
}

/**
 * A server on this machine that no hostile code may reach: on loopback, or at the path of a unix
 * socket (`\0…` for an abstract one).
 */
export async function serveOnHost(path?: string): Promise<HostServer> {
  let reached = 0
  const server = createServer((socket) => {
    reached += 1
    socket.on('error', () => {}).end('reached')
  })
  if (path === undefined) server.listen(0, '127.0.0.1')
  else server.listen(path)
  await once(server, 'listening')
  const address = server.address()
  return {
    port: typeof address === 'object' ? (address?.port ?? 0) : 0,
    reached: () => reached,
    async [Symbol.asyncDispose]() {
      server.close()
    },
  }
}
