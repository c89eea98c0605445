import { once } from 'node:events'
import { connect, createServer } from 'node:net'

export interface CuttingProxy {
  readonly port: number
  /** True to drop the answer to the next `commit`, and cut its connection. */
  cutNextCommit: boolean
  close(): void
}

/**
 * A proxy between a client and a server that cuts a connection after its commit has reached the
 * server.
 */
export async function createCuttingProxy(port: number): Promise<CuttingProxy> {
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1')
    let isCut = false
    client.on('data', (chunk) => {
      if (proxy.cutNextCommit && chunk.includes('commit\0')) {
        proxy.cutNextCommit = false
        isCut = true
      }
      upstream.write(chunk)
    })
    upstream.on('data', (chunk) => {
      if (isCut) client.destroy()
      else client.write(chunk)
    })
    client.on('error', () => {}).on('close', () => upstream.destroy())
    upstream.on('error', () => {}).on('close', () => client.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const proxy: CuttingProxy = { port: address.port, cutNextCommit: false, close: () => void server.close() }
  return proxy
}
