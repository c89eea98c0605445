import { createServer } from 'node:http'
import type { Listen } from '../../src/server/http/serve-state.ts'

type Fetch = Parameters<Listen>[0]

/**
 * Servers of this process without a socket, by their pretended ports. A real port is never below
 * 1,024.
 */
const servers = new Map<number, Fetch>()

/** Accepts only requests of this process, without a socket. */
export const inProcess: Listen = async (fetch) => {
  let port = 200
  while (servers.has(port)) port += 1
  servers.set(port, fetch)
  return Object.assign(createServer(), {
    address: () => ({ address: '127.0.0.1', family: 'IPv4', port }),
    close(done?: () => void) {
      servers.delete(port)
      done?.()
    },
  }) as never
}

/** The server without a socket at this port; null for a real one. */
export const serverAt = (port: number): Fetch | null => servers.get(port) ?? null

/** Sends a request like the server of a socket would. */
export async function fetchFrom(
  fetch: Fetch,
  {
    url,
    method,
    headers,
    body,
  }: { url: string; method: string; headers: Readonly<Record<string, string>>; body?: string | undefined },
): Promise<Response> {
  const length =
    body === undefined || 'Transfer-Encoding' in headers ? {} : { 'Content-Length': `${Buffer.byteLength(body)}` }
  const { 'Transfer-Encoding': _, ...sent } = headers
  const request = new Request(url, {
    method,
    headers: { ...sent, ...length },
    ...(body !== undefined && method !== 'GET' && method !== 'HEAD' && { body }),
  })
  return fetch(request, { incoming: { socket: { remoteAddress: '127.0.0.1', remotePort: 1, remoteFamily: 'IPv4' } } })
}
