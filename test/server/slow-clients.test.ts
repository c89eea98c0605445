import { once } from 'node:events'
import { request as tlsRequest } from 'node:https'
import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { certificate, certificateKey } from '../wire/certificate.ts'
import { serveBareHub } from './bare-hub.ts'
import { serveBare } from './bare-server.ts'
import { ask } from './browser.ts'
import { slowClients } from './slow-clients.ts'

const aPage = async () => {
  const bare = await serveBare()
  onTestFinished(() => bare.remove())
  return bare.port
}
const aHub = async () => (await serveBareHub()).port

test.each([
  { door: 'the dashboard of one user', open: aPage },
  { door: 'a hub', open: aHub },
])('$door answers while 400 connections say no whole request, and ends those that have waited longest', async (at) => {
  const port = await at.open()
  const elsewhere = connect({ port, host: '127.0.0.1', localAddress: '127.0.0.2' })
  elsewhere.write(`GET /server HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n`)
  await once(elsewhere, 'connect')
  const [oldest, ...others] = await slowClients(port, 400)
  expect((await ask(port, '/server')).status).toBe(200)
  if (oldest !== undefined && !oldest.closed) await once(oldest, 'close')
  expect(others.filter(({ closed }) => !closed).length).toBeGreaterThan(100)
  // A client at another address is not cut off because of them.
  elsewhere.write('Connection: close\r\n\r\n')
  const [answer] = await once(elsewhere, 'data')
  expect(String(answer)).toMatch(/^HTTP\/1.1 200 /)
})

test('a hub answers over TLS while 400 connections do not even begin it', async () => {
  const tls = { cert: certificate, key: certificateKey }
  const hub = await serveBareHub({ door: { host: '127.0.0.1', port: 0, tls, proxyOrigin: null } })
  const [oldest] = await slowClients(hub.port, 400, [''])
  const asked = tlsRequest({
    host: '127.0.0.1',
    port: hub.port,
    path: '/server',
    headers: { Host: `provider.test:${hub.port}` },
    rejectUnauthorized: false,
    agent: false,
  })
  asked.end()
  const [answer] = await once(asked, 'response')
  expect(answer.statusCode).toBe(200)
  answer.resume()
  if (oldest !== undefined && !oldest.closed) await once(oldest, 'close')
})

test('a stream of events continues while silent connections come and go', async () => {
  const hub = await serveBareHub()
  const { headers } = await hub.signIn(await hub.token('ada', 'viewer'))
  const stream = await fetch(`${hub.url}/api/events`, { headers })
  const reader = stream.body?.getReader()
  expect([stream.status, (await reader?.read())?.done]).toEqual([200, false])
  await slowClients(hub.port, 400)
  expect((await ask(hub.port, '/server')).status).toBe(200)
  const next = await Promise.race([
    reader?.read().then(({ done }) => done),
    ask(hub.port, '/server').then(() => 'open'),
  ])
  expect(next).not.toBe(true)
  await reader?.cancel()
})
