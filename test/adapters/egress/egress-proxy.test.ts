import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer as createHttpServer, request } from 'node:http'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { createAllowList, type Endpoint } from '../../../src/adapters/sandbox/egress/allow-list.ts'
import { startProxy } from '../../../src/adapters/sandbox/egress/proxy.ts'
import { isPublicAddress } from '../../../src/adapters/sandbox/egress/public-address.ts'

let socketPath = ''
beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-proxy-test-'))
  socketPath = join(folder, 'proxy')
  return () => rmSync(folder, { recursive: true, force: true })
})

async function start(registries: readonly Endpoint[], idleMs?: number) {
  const allowed = createAllowList([], registries)
  const proxy = await startProxy({ socketPath, allowed, ...(idleMs !== undefined && { idleMs }) })
  onTestFinished(() => proxy.close())
  return proxy
}

async function listen(server: Server): Promise<Endpoint> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
  })
  return { host: '127.0.0.1', port: (server.address() as { port: number }).port }
}

function toProxy(): Socket {
  const socket = connect({ path: socketPath, allowHalfOpen: true })
  socket.on('error', () => undefined)
  return socket
}

/** An open tunnel whose far end was already reached. */
async function openTunnel({ host, port }: Endpoint): Promise<Socket> {
  const socket = toProxy()
  socket.write(`CONNECT ${host}:${port} HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
  const [head] = await once(socket, 'data')
  expect(String(head)).toBe('HTTP/1.1 200 Connection established\r\n\r\n')
  return socket
}

async function whole(lines: readonly string[]): Promise<string> {
  const socket = toProxy()
  socket.write(`${lines.join('\r\n')}\r\n\r\n`)
  return text(socket)
}

describe('a tunnel', () => {
  test('carries what both ends say, to the last byte, and the end of each by itself', async () => {
    const endpoint = await listen(
      createServer({ allowHalfOpen: true }, (socket) => {
        let said = ''
        socket.setEncoding('utf8').on('data', (chunk: string) => {
          said += chunk
        })
        socket.once('end', () => socket.end(said.toUpperCase()))
      }),
    )
    await start([endpoint])
    const socket = await openTunnel(endpoint)
    const long = 'abc'.repeat(500_000)
    socket.end(long)
    expect((await text(socket)) === long.toUpperCase()).toBe(true)
  })

  test('still carries what one end says after the other has ended', async () => {
    const heard = Promise.withResolvers<string>()
    const endpoint = await listen(
      createServer({ allowHalfOpen: true }, (socket) => {
        let said = ''
        socket.end().on('data', (chunk) => {
          said += chunk
        })
        socket.once('end', () => heard.resolve(said))
      }),
    )
    await start([endpoint])
    const socket = await openTunnel(endpoint)
    await once(socket.resume(), 'end')
    socket.end('one more')
    expect(await heard.promise).toBe('one more')
  })

  test('ends with the proxy', async () => {
    const endpoint = await listen(createServer((socket) => socket.on('error', () => undefined)))
    const proxy = await start([endpoint])
    const [open, idle] = [await openTunnel(endpoint), toProxy()]
    await once(idle, 'connect')
    const ended = Promise.all([once(open, 'close'), once(idle, 'close')])
    open.resume().on('end', () => open.end())
    idle.resume().on('end', () => idle.end())
    await proxy.close()
    await ended
    await expect(once(toProxy(), 'connect')).rejects.toMatchObject({ syscall: 'connect' })
  })

  test('and a connection that asks for nothing, ends when it is silent for too long', async () => {
    const endpoint = await listen(createServer((socket) => socket.on('error', () => undefined)))
    await start([endpoint], 1_000)
    const sockets = [await openTunnel(endpoint), toProxy(), toProxy()]
    sockets[2]?.write('CONNECT half-a-request')
    await Promise.all(sockets.map((socket) => text(socket)))
  })

  test('that cannot be made is told why', async () => {
    const server = createServer()
    const { host, port } = await listen(server)
    server.close()
    const unresolvable = { host: 'no-such-host.invalid', port: 443 }
    const proxy = await start([{ host, port }, unresolvable])
    expect(await whole([`CONNECT ${host}:${port} HTTP/1.1`, 'Host: a'])).toMatch(
      /^HTTP\/1.1 502 drydock: no connection to 127.0.0.1: .*ECONNREFUSED/,
    )
    expect(await whole(['CONNECT no-such-host.invalid:443 HTTP/1.1', 'Host: a'])).toMatch(
      /^HTTP\/1.1 502 drydock: no-such-host.invalid cannot be resolved: /,
    )
    expect(proxy.refused()).toEqual([])
    expect(proxy.unreached()).toEqual([`${host}:${port}`, 'no-such-host.invalid:443'])
  })
})

describe('a plain request', () => {
  test('is sent on with its body to the host of its URL, whatever it says of its host', async () => {
    const endpoint = await listen(
      createHttpServer(async (message, response) => {
        const { method, url, headers } = message
        const { host, 'proxy-authorization': secret, accept } = headers
        response.setHeader('x-kept', 'yes')
        response.end(JSON.stringify({ method, url, host, secret, accept, body: await text(message) }))
      }),
    )
    await start([endpoint])
    const url = `http://127.0.0.1:${endpoint.port}/a/b?c=d`
    const headers = {
      host: 'other.example',
      'proxy-authorization': 'Basic secret',
      accept: 'all',
      expect: '100-continue',
    }
    const outgoing = request({ socketPath, method: 'POST', path: url, headers })
    outgoing.end('the body')
    const [response] = await once(outgoing, 'response')
    expect(response.headers['x-kept']).toBe('yes')
    expect(JSON.parse(await text(response))).toEqual({
      method: 'POST',
      url: '/a/b?c=d',
      host: `127.0.0.1:${endpoint.port}`,
      accept: 'all',
      body: 'the body',
    })
  })

  test.each([
    ['with a head that is too long', ['GET http://a.example/ HTTP/1.1', `X: ${'x'.repeat(20_000)}`], '431'],
    ['that names no host', ['GET /etc/passwd HTTP/1.1', 'Host: a'], '400'],
    ['for another protocol', ['GET ftp://a.example/ HTTP/1.1', 'Host: a'], '400'],
    ['to connect without a port', ['CONNECT a.example HTTP/1.1', 'Host: a'], '400'],
    ['to connect to no port', ['CONNECT a.example:99999 HTTP/1.1', 'Host: a'], '400'],
    ['to connect to no host', ['CONNECT a@b:443 HTTP/1.1', 'Host: a'], '400'],
    ['that is not HTTP', ['hello'], '400'],
  ])('%s is refused', async (_name, lines, status) => {
    await start([], 2_000)
    expect(await whole([...lines, 'Connection: close'])).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  })
})

test('names are compared as URLs have them, and without a port mean 80 and 443', () => {
  const { reach } = createAllowList(
    ['Named.Example', 'ported.example:8443', '8.8.8.8', '0x08080808'],
    [{ host: '10.0.0.1', port: 4873 }],
  )
  const at = (host: string, ...ports: readonly number[]) => ports.map((port) => reach({ host, port }))
  expect({
    named: at('named.example', 80, 443, 22),
    below: at('a.named.example', 443),
    ported: at('ported.example', 8443, 443),
    address: at('8.8.8.8', 443),
    registry: at('10.0.0.1', 4873, 443),
  }).toEqual({
    named: ['public', 'public', null],
    below: [null],
    ported: ['public', null],
    address: [null],
    registry: ['any', null],
  })
})

test('an address of a private network or of the machine itself is not public, however it is written', () => {
  const closed = [
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '127.0.0.1',
    '127.9.9.9',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    'fe80::1',
    'fc00::1',
    'fd12::1',
    'ff02::1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:169.254.169.254',
    '64:ff9b::10.0.0.1',
    '64:ff9b::a9fe:a9fe',
    '::127.0.0.1',
    '2002:7f00:1::',
    '64:ff9b:1::1',
    'fec0::1',
  ]
  const open = ['1.1.1.1', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '::ffff:1.1.1.1', '64:ff9b::1.1.1.1']
  expect(closed.filter((address) => isPublicAddress(address))).toEqual([])
  expect(open.filter((address) => isPublicAddress(address))).toEqual(open)
  const [loopback] = Object.values(networkInterfaces()).flat()
  if (loopback === undefined) throw new Error('no network at all')
  expect(isPublicAddress('1.1.1.1', { eth0: [{ ...loopback, address: '1.1.1.1' }] })).toBe(false)
})

test('a host that is reached at the second try is not told as unreached; another port of it is', async () => {
  const gone = createServer()
  const endpoint = await listen(gone)
  const closed = once(gone, 'close')
  gone.close()
  await closed
  const other = { ...endpoint, port: 1 }
  const proxy = await start([endpoint, other])
  const asked = ({ host, port }: Endpoint) => whole([`CONNECT ${host}:${port} HTTP/1.1`, `Host: ${host}`])
  expect(await asked(endpoint)).toContain('502')
  expect(await asked(other)).toContain('502')
  expect(proxy.unreached()).toEqual([`127.0.0.1:${endpoint.port}`, '127.0.0.1:1'])
  const back = createServer((socket) => socket.end())
  back.listen(endpoint.port, '127.0.0.1')
  await once(back, 'listening')
  onTestFinished(() => void back.close())
  const socket = await openTunnel(endpoint)
  socket.destroy()
  expect(proxy.unreached()).toEqual(['127.0.0.1:1'])
})

test('a plain answer that breaks off has reached its host', async () => {
  const endpoint = await listen(
    createHttpServer((_, response) => {
      response.writeHead(200, { 'content-length': '10' }).write('a')
      setImmediate(() => response.socket?.resetAndDestroy())
    }),
  )
  const proxy = await start([endpoint])
  const { host, port } = endpoint
  await whole([`GET http://${host}:${port}/ HTTP/1.1`, `Host: ${host}:${port}`]).catch(() => '')
  expect(proxy.unreached()).toEqual([])
})
