import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { askProvider } from '../../../src/adapters/models/ask-provider.ts'
import { createModel } from '../../../src/adapters/models/create-model.ts'
import { readModelVariables } from '../../../src/config/environment.ts'
import { knownSecrets } from '../../../src/config/known-secrets.ts'
import { userSchema } from '../../../src/config/schema.ts'
import { certificate, certificateKey } from '../../wire/certificate.ts'
import { ask } from '../../wire/wire-models.ts'
import { startWireServer } from '../../wire/wire-server.ts'

const password = 'proxy-password-4711'

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** Starts a real proxy that forwards every host to `port` of this machine. */
async function startProxy(port: number, { status = 200 } = {}) {
  const heard: { readonly target: string; readonly authorization: string | undefined }[] = []
  const server = createServer((request, response) => {
    const { url = '', headers } = request
    heard.push({ target: `${request.method} ${url}`, authorization: headers['proxy-authorization'] })
    const { pathname } = new URL(url)
    fetch(`http://127.0.0.1:${port}${pathname}`, { method: 'POST', body: request, duplex: 'half' } as RequestInit).then(
      async (answer) => response.end(Buffer.from(await answer.arrayBuffer())),
      () => response.destroy(),
    )
  })
  server.on('connect', (request, client) => {
    heard.push({ target: `CONNECT ${request.url}`, authorization: request.headers['proxy-authorization'] })
    client.on('error', () => {})
    if (status !== 200) return client.end(`HTTP/1.1 ${status} No\r\n\r\n`)
    const upstream = connect(port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n')
      upstream.pipe(client).pipe(upstream)
    })
    upstream.on('error', () => client.destroy())
  })
  const at = await listening(server)
  onTestFinished(() => void server.close())
  onTestFinished(() => server.closeAllConnections())
  return { heard, url: `http://me:${password}@127.0.0.1:${at}` }
}

/** Serves `provider.test` with a certificate, and forwards requests to a wire server. */
async function startSecure(origin: string): Promise<number> {
  const server = createSecureServer({ cert: certificate, key: certificateKey }, async (request, response) => {
    const body = request.method === 'GET' ? null : request
    const init = { method: request.method ?? 'GET', body, duplex: 'half' } as unknown as RequestInit
    const isList = request.url?.endsWith('/models')
    if (isList) return void response.end('{"data":[{"id":"m"}]}')
    const answer = await fetch(`${origin}${request.url}`, init)
    response.writeHead(answer.status, Object.fromEntries(answer.headers))
    response.end(Buffer.from(await answer.arrayBuffer()))
  })
  onTestFinished(() => void server.close())
  onTestFinished(() => server.closeAllConnections())
  return listening(server)
}

const trusted = getCACertificates('default')
beforeAll(() => setDefaultCACertificates([...trusted, certificate]))
afterAll(() => setDefaultCACertificates(trusted))

const providers = {
  far: { kind: 'openai-compatible', baseURL: 'https://provider.test/v1' },
  plain: { kind: 'openai-compatible', baseURL: 'http://provider.test/v1' },
} as const

async function wireServer() {
  const wire = await startWireServer(() => ({ text: 'Hello.' }))
  onTestFinished(() => wire.close())
  return wire
}

test('a call of a model goes through the proxy in HTTPS_PROXY, as a tunnel', async () => {
  const wire = await wireServer()
  const proxy = await startProxy(await startSecure(wire.origin))
  const env = readModelVariables(
    { HTTPS_PROXY: proxy.url, HTTP_PROXY: 'http://127.0.0.1:1' },
    userSchema.parse({ providers }).providers,
  )
  expect(await ask(createModel({ id: 'far:m', providers, env }))).toMatchObject({ stop: 'end', text: 'Hello.' })
  const authorization = `Basic ${Buffer.from(`me:${password}`).toString('base64')}`
  expect(proxy.heard).toEqual([{ target: 'CONNECT provider.test:443', authorization }])
  expect(await askProvider('far', { providers, env })).toMatchObject({ answer: 'accepted', models: ['m'] })
})

test('a plain address is asked of the proxy in http_proxy', async () => {
  const wire = await wireServer()
  const proxy = await startProxy(Number(new URL(wire.origin).port))
  const env = { http_proxy: proxy.url, HTTP_PROXY: 'http://127.0.0.1:1' }
  expect(await ask(createModel({ id: 'plain:m', providers, env }))).toMatchObject({ text: 'Hello.' })
  expect(proxy.heard).toMatchObject([{ target: 'POST http://provider.test/v1/chat/completions' }])
})

test('a host in NO_PROXY, and this machine, are reached without it', async () => {
  const wire = await wireServer()
  const proxy = await startProxy(1)
  const env = { HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url, NO_PROXY: '.test' }
  const here = { here: { kind: 'openai-compatible', baseURL: `${wire.origin}/v1` } } as const
  expect(await ask(createModel({ id: 'here:m', providers: here, env }))).toMatchObject({ text: 'Hello.' })
  const reply = await ask(createModel({ id: 'far:m', providers, env }))
  expect(reply).toMatchObject({ stop: 'error', error: { unreachable: true } })
  expect(proxy.heard).toEqual([])
})

test('a proxy that refuses is told by its variable, and its password is never shown', async () => {
  const proxy = await startProxy(1, { status: 407 })
  const env = { HTTPS_PROXY: proxy.url }
  const reply = await ask(createModel({ id: 'far:m', providers, env }))
  expect(reply).toMatchObject({
    stop: 'error',
    error: { unreachable: true, todo: expect.stringContaining('HTTPS_PROXY') },
  })
  expect(await askProvider('far', { providers, env })).toMatchObject({ why: expect.stringContaining('HTTPS_PROXY') })
  expect(JSON.stringify(reply)).not.toContain(password)
  const user = userSchema.parse({})
  expect(knownSecrets({ HOME: '/nobody', ...env }, user)).toContain(password)
})

test('a proxy that is not a URL is reported before anything is sent', () => {
  expect(() => createModel({ id: 'far:m', providers, env: { HTTPS_PROXY: 'socks5://127.0.0.1:1080' } })).toThrow(
    'The proxy in HTTPS_PROXY cannot be used',
  )
})
