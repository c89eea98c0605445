/**
 * Runs inside a sandbox that has no network: `forwarder <port> <socket>` listens on the port of
 * 127.0.0.1 and hands every connection to the socket. Says that it listens by a word on standard
 * output, which it closes then. Its folder is bound into the sandbox, so it imports only Node's
 * modules.
 */
import { closeSync, openSync, writeSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'

const [port, path = ''] = process.argv.slice(2)

createServer({ allowHalfOpen: true }, (client) => {
  const proxy = connect({ path, allowHalfOpen: true })
  passOn(client, proxy)
  passOn(proxy, client)
}).listen(Number(port), '127.0.0.1', () => {
  writeSync(1, 'ready')
  closeSync(1)
  // Takes the number: as that of a connection Node would not survive it.
  openSync('/dev/null', 'w')
})

function passOn(from: Socket, to: Socket): void {
  from.pipe(to)
  from.on('error', () => to.destroy())
  from.on('close', () => to.end())
}
