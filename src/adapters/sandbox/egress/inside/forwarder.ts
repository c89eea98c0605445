/**
 * Runs inside a sandbox without a network: `forwarder <port>:<socket> …` listens on each port of
 * 127.0.0.1 and connects every connection to its socket. A word on standard output says that it
 * listens; the output is then closed. Its folder is bound into the sandbox, so it imports only
 * Node's modules.
 */
import { once } from 'node:events'
import { closeSync, openSync, writeSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'

await Promise.all(process.argv.slice(2).map(listen))
writeSync(1, 'ready')
closeSync(1)
// Occupies the descriptor's number, since Node would crash if a connection got it.
openSync('/dev/null', 'w')

async function listen(way: string): Promise<void> {
  const [port = '', path = ''] = way.split(':')
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const other = connect({ path, allowHalfOpen: true })
    passOn(client, other)
    passOn(other, client)
  })
  await once(server.listen(Number(port), '127.0.0.1'), 'listening')
}

function passOn(from: Socket, to: Socket): void {
  from.pipe(to)
  from.on('error', () => to.destroy())
  from.on('close', () => to.end())
}
