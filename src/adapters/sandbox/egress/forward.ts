import { type IncomingHttpHeaders, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { type NoRoute, noConnection, type OpenRoute } from './route.ts'

const hopByHop = [
  ...['connection', 'keep-alive', 'proxy-authorization', 'proxy-connection', 'te', 'trailer', 'upgrade'],
  'transfer-encoding',
]

/** Sends a plain `http:` request on, over a connection of its own, and its answer back. */
export function forward(message: IncomingMessage, response: ServerResponse, route: OpenRoute, idleMs: number): void {
  const { host, port, lookup } = route
  const { pathname, search, host: hostHeader } = new URL(message.url ?? '')
  const outgoing = request({
    ...{ host, port, lookup, agent: false, timeout: idleMs },
    ...{ method: message.method ?? 'GET', path: `${pathname}${search}` },
    headers: { ...endToEnd(message.headers), host: hostHeader },
  })
  outgoing.once('timeout', () => outgoing.destroy(new Error('no answer for too long')))
  outgoing.on('error', (error) => {
    // The client may have gone.
    if (response.destroyed) return
    if (response.headersSent) response.destroy()
    else refuseRequest(response, noConnection(route, error))
  })
  outgoing.once('response', (incoming) => {
    route.onReached?.()
    const status = incoming.statusCode ?? 0
    // What is no status of an answer cannot be handed on.
    response.writeHead(status >= 200 && status < 600 ? status : 502, endToEnd(incoming.headers))
    incoming.on('error', () => response.destroy()).pipe(response)
  })
  response.once('close', () => outgoing.destroy())
  message.on('error', () => outgoing.destroy()).pipe(outgoing)
}

/** Package managers show the status line or the body. */
export function refuseRequest(response: ServerResponse, { status, reason }: NoRoute): void {
  if (response.headersSent) response.destroy()
  else response.writeHead(status, `drydock: ${reason}`, { connection: 'close' }).end(`drydock: ${reason}\n`)
}

/**
 * Of the headers those that are not between two neighbours only; how a body is framed is told anew.
 */
function endToEnd(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !hopByHop.includes(name)))
}
