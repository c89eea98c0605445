import { createServer } from 'node:http'
import type { Socket } from 'node:net'
import { type AllowList, type Endpoint, endpointOf, parseEndpoint } from './allow-list.ts'
import { forward, refuseRequest } from './forward.ts'
import { findRoute, type Route } from './route.ts'
import { refuseTunnel, tunnel } from './tunnel.ts'

const mostConnections = 256
const mostHeaderBytes = 16_384
const mostRefused = 50
const patienceMs = 120_000

export interface ProxyOptions {
  /** The path of the socket; its folder exists. */
  readonly socketPath: string
  readonly allowed: AllowList
  /** The longest silence of a connection. */
  readonly idleMs?: number
}

export interface EgressProxy {
  /** The reasons why requests were refused, one per line: without duplicates, and at most fifty. */
  refused(): readonly string[]
  /** Permitted `host:port` pairs that could not be reached until the end; at most fifty. */
  unreached(): readonly string[]
  /** Ends every connection. */
  close(): Promise<void>
}

/**
 * An HTTP proxy for permitted hosts: tunnels through CONNECT, and plain `http:` requests. A name is
 * resolved once, and the connection uses an address that was checked. Rejects if it cannot listen.
 */
export async function startProxy({ socketPath, allowed, idleMs = patienceMs }: ProxyOptions): Promise<EgressProxy> {
  const refused = new Set<string>()
  const unreached = new Set<string>()
  const open = new Set<Socket>()
  const server = createServer({ maxHeaderSize: mostHeaderBytes, headersTimeout: idleMs, requestTimeout: 0 })
  server.maxConnections = mostConnections
  server.setTimeout(idleMs)

  function remember(socket: Socket): void {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  }

  async function route(endpoint: Endpoint | null): Promise<Route> {
    if (endpoint === null) return { status: 400, reason: 'the request names no host and port' }
    const found = await findRoute(allowed, endpoint)
    const name = `${endpoint.host}:${endpoint.port}`
    const onUnreached = () => void (unreached.size < mostRefused && unreached.add(name))
    if (!('status' in found)) return { ...found, onUnreached, onReached: () => void unreached.delete(name) }
    if (found.status === 502) onUnreached()
    else if (found.status === 403 && refused.size < mostRefused) refused.add(found.reason)
    return found
  }

  server.on('connection', remember)
  server.on('connect', async (message, client: Socket, head) => {
    client.on('error', () => client.destroy())
    const found = await route(parseEndpoint(message.url ?? ''))
    if (client.destroyed) return
    if ('status' in found) refuseTunnel(client, found)
    else remember(tunnel(client, head, found, idleMs))
  })
  server.on('request', async (message, response) => {
    const found = await route(message.url?.startsWith('http://') ? endpointOf(message.url) : null)
    if (response.destroyed) return
    if ('status' in found) refuseRequest(response, found)
    else forward(message, response, found, idleMs)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    // Permitted to all, since the command may run as another user in a container; the folder limits
    // access.
    server.listen({ path: socketPath, readableAll: true, writableAll: true }, resolve)
  })

  return {
    refused: () => [...refused],
    unreached: () => [...unreached],
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      for (const socket of open) socket.destroy()
      await closed
    },
  }
}
