import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** A connection to a hub that can be cut. */
export interface Way {
  readonly url: string
  /** Closes all connections; new ones are accepted at once. */
  cut(): void
  /** Closes all connections and refuses new ones, until it is mended. */
  block(): void
  mend(): void
  /** Resolves with the next connection. */
  used(): Promise<void>
}

export async function wayTo(port: number): Promise<Way> {
  const sockets = new Set<Socket>()
  let isBlocked = false
  let next = Promise.withResolvers<void>()
  const server = createServer((socket) => {
    next.resolve()
    next = Promise.withResolvers()
    if (isBlocked) return void socket.destroy()
    const there = connect(port, '127.0.0.1')
    for (const [one, other] of [
      [socket, there],
      [there, socket],
    ] as const) {
      sockets.add(one)
      one.on('error', () => other.destroy())
      one.on('close', () => {
        sockets.delete(one)
        other.destroy()
      })
    }
    socket.pipe(there).pipe(socket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  onTestFinished(() => {
    cut()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    block() {
      isBlocked = true
      cut()
    },
    mend() {
      isBlocked = false
    },
    used: () => next.promise,
  }
}
