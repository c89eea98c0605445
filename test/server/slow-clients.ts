import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

const head = 'POST / HTTP/1.1\r\nHost: 127.0.0.1\r\n'

/**
 * The three ways in which a client keeps a server waiting: for the whole request, its headers, or
 * its body.
 */
const beginnings = ['', head, `${head}Content-Length: 1000\r\n\r\n{`] as const

/** Opens this many connections that never send a whole request, and end with the test. */
export async function slowClients(
  port: number,
  count: number,
  begun: readonly string[] = beginnings,
): Promise<readonly Socket[]> {
  const sockets = Array.from({ length: count }, (_, n) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => undefined)
    const said = begun[n % begun.length] ?? ''
    if (said !== '') socket.write(said)
    return socket
  })
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
  })
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  return sockets
}
