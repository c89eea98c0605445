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
  /** Where it listens; the folder exists. */
  readonly socketPath: string
  readonly allowed: AllowList
  /** How long a connection may be silent. */
  readonly idleMs?: number
}

export interface EgressProxy {
  /** Why requests were not let through, a line each: all different, and no more than fifty. */
  refused(): readonly string[]
  /** As `host:port`, what may be reached and had no connection to the end; no more than fifty. */
  unreached(): readonly string[]
  /** Ends every connection. */
  close(): Promise<void>
}

/**
 * An HTTP proxy that lets through what is allowed: tunnels by CONNECT, and plain `http:` requests.
 * A name is resolved once, and the connection goes to an address that was looked at. Rejects when
 * it cannot listen.
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
    // For everyone who reaches the folder: in a container that can be another user.
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
