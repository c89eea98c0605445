import { type IncomingHttpHeaders, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { type NoRoute, noConnection, type OpenRoute } from './route.ts'

const hopByHop = [
  'connection',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'upgrade',
  'transfer-encoding',
]

/** Forwards a plain `http:` request on a new connection, and its answer back. */
export function forward(message: IncomingMessage, response: ServerResponse, route: OpenRoute, idleMs: number): void {
  const { host, port, lookup } = route
  const { pathname, search, host: hostHeader } = new URL(message.url ?? '')
  const outgoing = request({
    host,
    port,
    lookup,
    agent: false,
    timeout: idleMs,
    method: message.method ?? 'GET',
    path: `${pathname}${search}`,
    headers: { ...endToEnd(message.headers), host: hostHeader },
  })
  outgoing.once('timeout', () => outgoing.destroy(new Error('no answer for too long')))
  outgoing.on('error', (error) => {
    // The client may have disconnected.
    if (response.destroyed) return
    if (response.headersSent) response.destroy()
    else refuseRequest(response, noConnection(route, error))
  })
  outgoing.once('response', (incoming) => {
    route.onReached?.()
    const status = incoming.statusCode ?? 0
    // An invalid status cannot be passed on.
    response.writeHead(status >= 200 && status < 600 ? status : 502, endToEnd(incoming.headers))
    incoming.on('error', () => response.destroy()).pipe(response)
  })
  response.once('close', () => outgoing.destroy())
  message.on('error', () => outgoing.destroy()).pipe(outgoing)
}

/**
 * The status line and the body both contain the reason, since package managers show only one of
 * them.
 */
export function refuseRequest(response: ServerResponse, { status, reason }: NoRoute): void {
  if (response.headersSent) response.destroy()
  else response.writeHead(status, `drydock: ${reason}`, { connection: 'close' }).end(`drydock: ${reason}\n`)
}

/** The end-to-end headers. The framing of the body is set again. */
function endToEnd(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !hopByHop.includes(name)))
}
