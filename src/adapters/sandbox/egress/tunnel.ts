import { connect, type Socket } from 'node:net'
import { type NoRoute, noConnection, type OpenRoute } from './route.ts'

const connectMs = 30_000

/**
 * Connects `client`, which sent CONNECT, with the host, and closes both after `idleMs` of silence.
 * Returns the socket to the host.
 */
export function tunnel(client: Socket, head: Uint8Array, route: OpenRoute, idleMs: number): Socket {
  const { host, port, lookup } = route
  const remote = connect({ host, port, lookup, allowHalfOpen: true })
  const fail = (error: Error) => refuseTunnel(client, noConnection(route, error))
  remote.once('error', fail)
  remote.setTimeout(Math.min(connectMs, idleMs), () => remote.destroy(new Error('no answer for too long')))
  // The timeout of the remote socket covers both, since all data passes through it.
  client.setTimeout(0)
  client.once('close', () => remote.destroy())
  remote.once('connect', () => {
    route.onReached?.()
    remote.setTimeout(idleMs)
    remote.off('error', fail).on('error', () => client.destroy())
    client.write('HTTP/1.1 200 Connection established\r\n\r\n')
    remote.write(head)
    client.pipe(remote).pipe(client)
  })
  return remote
}

/**
 * The status line and the body both contain the reason, since package managers show only one of
 * them.
 */
export function refuseTunnel(client: Socket, { status, reason }: NoRoute): void {
  const body = `drydock: ${reason}\n`
  const head = [`HTTP/1.1 ${status} drydock: ${reason}`, 'Content-Type: text/plain', `Content-Length: ${body.length}`]
  client.write(`${head.join('\r\n')}\r\nConnection: close\r\n\r\n${body}`)
  client.destroySoon()
}
