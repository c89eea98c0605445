import { once } from 'node:events'
import { chmod, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { ModelGateway } from '../../../ports/model-gateway.ts'
import type { Bounds } from './bounds.ts'

/** Handles one request. `signal` is aborted when the client disconnects. */
export type Handler = (request: IncomingMessage, response: ServerResponse, signal: AbortSignal) => Promise<void>

/** A server on a unix socket. Failures of requests are reported by `close`. */
export async function listen(socket: string, handle: Handler, bounds: Bounds): Promise<ModelGateway> {
  const { headerBytes, headersMs, requestMs, idleMs, connections } = bounds
  const stopping = new AbortController()
  const underWay = new Set<Promise<void>>()
  const failures: unknown[] = []

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const left = new AbortController()
    response.on('error', () => {})
    response.once('close', () => left.abort(new Error('the agent is gone')))
    // The rest of an unfinished request is no longer needed.
    stopping.signal.addEventListener('abort', () => request.complete || request.destroy(), { signal: left.signal })
    try {
      await handle(request, response, AbortSignal.any([left.signal, stopping.signal]))
    } catch (error) {
      response.destroy()
      // A request that broke off does not count as a failure.
      if (request.complete) failures.push(error)
    }
  }

  const server = createServer({
    maxHeaderSize: headerBytes,
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    keepAliveTimeout: idleMs,
    connectionsCheckingInterval: headersMs / 4,
  })
  server.maxConnections = connections
  server.on('request', (request, response) => {
    const taken = take(request, response).finally(() => underWay.delete(taken))
    underWay.add(taken)
  })
  server.listen(socket)
  await once(server, 'listening')
  await chmod(socket, 0o600)
  return {
    socket,
    async close() {
      stopping.abort(new Error('the gateway is closed'))
      const closed = once(server, 'close')
      server.close()
      server.closeIdleConnections()
      await Promise.all(underWay)
      server.closeAllConnections()
      await closed
      await rm(socket, { force: true })
      if (failures.length > 0) throw failures[0]
    },
  }
}
