import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

export interface Room {
  /** The number of connections that may wait at once without a complete request. */
  readonly waiting: number
  /** True for a request that may take its time, and is never ended to make room. */
  readonly isKnown?: (request: IncomingMessage) => boolean
}

interface Connection {
  readonly address: string
  socket: Socket
  /** Null until its headers have arrived, and after its response. */
  request: IncomingMessage | null
}

/**
 * Keeps a server open for newcomers. A connection without a complete request costs its client
 * nothing, so a client could occupy any fixed number of places. A newcomer therefore always gets a
 * place. To make room, the address with the most waiting connections loses the one that has waited
 * longest, first those without headers, then those with an incomplete body. A connection with a
 * complete request is never ended, however long its response takes.
 */
export function leaveRoom(server: Server, { waiting: most, isKnown = () => false }: Room): void {
  /** Waiting connections, longest first. */
  const connections = new Map<string, Connection>()

  function take(socket: Socket): void {
    const key = keyOf(socket)
    const before = connections.get(key)
    if (before !== undefined) {
      // The TLS socket replaces the plain one.
      before.socket = socket
      return
    }
    connections.set(key, { address: socket.remoteAddress ?? '', socket, request: null })
    socket.once('close', () => connections.delete(key))
    makeRoom()
  }

  function makeRoom(): void {
    const waiting = [...connections.values()].filter(isWaiting)
    if (waiting.length <= most) return
    const [crowd = []] = [...Map.groupBy(waiting, ({ address }) => address).values()].toSorted(
      (one, other) => other.length - one.length,
    )
    const last = crowd.find(({ request }) => request === null) ?? crowd[0]
    last?.socket.destroy()
  }

  function isWaiting({ socket, request }: Connection): boolean {
    if (socket.destroyed) return false
    return request === null || !(request.complete || isKnown(request))
  }

  function hear(request: IncomingMessage, response: ServerResponse): void {
    const key = keyOf(request.socket)
    const connection = connections.get(key)
    if (connection === undefined) return
    connection.request = request
    response.once('close', () => {
      if (connection.request !== request) return
      connection.request = null
      // The connection waits again from now on.
      if (connections.delete(key)) connections.set(key, connection)
    })
  }

  server.on('connection', take)
  server.on('secureConnection', take)
  server.prependListener('request', hear)
}

/** Identifies a connection; the plain socket and its TLS socket have an equal key. */
function keyOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`
}
