import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

export interface Room {
  /** Connections at once that have not said a whole request. */
  readonly waiting: number
  /** Whether a request may take its time: it is not ended for others. */
  readonly isKnown?: (request: IncomingMessage) => boolean
}

interface Connection {
  readonly address: string
  socket: Socket
  /** Null before its headers are there, and after its answer. */
  request: IncomingMessage | null
}

/**
 * Keeps a server open for newcomers. Connections that say no whole request cost their clients
 * nothing, so a fixed number of places for them would be held by whoever comes first and stays.
 * Here a newcomer always gets a place: of the address that has most of them, the connection that
 * has waited longest is ended, one without headers before one in the middle of a body. A
 * connection that has said its request is never ended, however long its answer takes.
 */
export function leaveRoom(server: Server, { waiting: most, isKnown = () => false }: Room): void {
  /** In the order in which they began to wait. */
  const connections = new Map<string, Connection>()

  function take(socket: Socket): void {
    const key = keyOf(socket)
    const before = connections.get(key)
    if (before !== undefined) {
      // TLS is over the connection by now.
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
      // It waits from now on.
      if (connections.delete(key)) connections.set(key, connection)
    })
  }

  server.on('connection', take)
  server.on('secureConnection', take)
  server.prependListener('request', hear)
}

/** The same for a connection and for the TLS over it. */
function keyOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`
}
