import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { connect, type Socket } from 'node:net'
import { dirname, join } from 'node:path'
import { afterEach, expect, onTestFinished, test } from 'vitest'
import { createFixture, type Fixture, greenLanes } from '../scenarios/world/fixture.ts'
import { launch, type Running } from '../scenarios/world/process.ts'
import { signInWith } from './bare-hub.ts'
import { type Asking, ask, followStream } from './browser.ts'
import { serveOpenId } from './openid-server.ts'

let fixture: Fixture
afterEach(() => fixture.remove())

const start = (...args: string[]): Running => launch(['hub', ...args, '--repo', fixture.repo], { env: fixture.env })

const serving = /^https?:\/\/\S+$/

async function portOf(running: Running): Promise<number> {
  return Number(new URL(await running.line(serving)).port)
}

async function tokenFor(name: string, role: string): Promise<string> {
  const { stdout, stderr } = await fixture.drydock('hub', 'token', 'add', name, '--role', role)
  expect(stderr).toContain(`This is the token of ${name}.`)
  return stdout.trim()
}

const bearer = (token: string) => ({ Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' })

test('under TLS it knows the names of its certificate alone, and its cookie is for them alone', async () => {
  fixture = await createFixture()
  const [key, cert] = [join(fixture.folder, 'key.pem'), join(fixture.folder, 'cert.pem')]
  const names = 'subjectAltName=DNS:hub.example,IP:127.0.0.1'
  const options = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  execFileSync('openssl', [...options, '-subj', '/CN=hub.example', '-addext', names, '-keyout', key, '-out', cert], {
    stdio: 'ignore',
  })
  const token = await tokenFor('ada', 'viewer')
  const hub = start('--listen', '127.0.0.1:0', '--tls-cert', cert, '--tls-key', key)
  const port = await portOf(hub)
  const reach = async (
    host: string,
    { method = 'GET', path = '/api/runs', headers = {}, body = '' }: Asking & { readonly path?: string } = {},
  ) => {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    const asked = { host: '127.0.0.1', port, method, path, rejectUnauthorized: false, agent: false }
    const sent = request({ ...asked, headers: { Host: host, Authorization: `Bearer ${token}`, ...headers } }, resolve)
    sent.on('error', reject).end(body)
    const { statusCode, headers: got } = (await promise).resume()
    return { status: statusCode, secure: got['strict-transport-security'], cookie: got['set-cookie']?.[0] }
  }
  const secure = 'max-age=31536000'
  expect(await reach(`hub.example:${port}`)).toMatchObject({ status: 200, secure })
  expect(await reach(`127.0.0.1:${port}`)).toMatchObject({ status: 200, secure })
  for (const host of [`evil.example:${port}`, `localhost:${port}`, `hub.example.evil.example:${port}`])
    expect(await reach(host)).toMatchObject({ status: 403, secure })
  const signingIn = { path: '/session', ...signInWith(`https://hub.example:${port}`, token) }
  const { status, cookie } = await reach(`hub.example:${port}`, signingIn)
  expect(status).toBe(200)
  expect(cookie).toMatch(/^__Host-drydock-hub=[\w-]{43}; Path=\/; Expires=[^;]+; HttpOnly; Secure; SameSite=Strict$/)
  hub.child.kill('SIGTERM')
  await hub.ended
})

/** Sends this data and then nothing more, until the server has closed the connection. */
async function trickle(port: number, first: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => {}).resume()
  await once(socket, 'connect')
  socket.write(first)
  return socket
}

test('five hundred silent clients and endless bodies keep nobody else out, and are ended', async () => {
  fixture = await createFixture()
  const ada = await tokenFor('ada', 'operator')
  const hub = start('--listen', '127.0.0.1:0')
  const port = await portOf(hub)
  const half = `POST /session HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n`
  const silent = await Promise.all(Array.from({ length: 500 }, (_, n) => trickle(port, n % 2 === 0 ? '' : half)))
  expect((await ask(port, '/api/runs', { headers: bearer(ada) })).status).toBe(200)
  const large = JSON.stringify({ token: 'x'.repeat(5_000) })
  const headers = { Origin: `http://127.0.0.1:${port}`, 'Content-Type': 'application/json' }
  expect((await ask(port, '/session', { method: 'POST', headers, body: large })).status).toBe(413)
  const chunked = { ...headers, 'Transfer-Encoding': 'chunked' }
  expect((await ask(port, '/session', { method: 'POST', headers: chunked, body: large })).status).toBe(413)
  // A client without a token is cut off soon, whatever its body.
  const unread = await ask(port, '/api/tasks', { method: 'POST', headers, body: large })
  expect(unread.status).toBe(401)
  await Promise.all(silent.map((socket) => (socket.closed ? null : once(socket, 'close'))))
  hub.child.kill('SIGTERM')
  await hub.ended
})

test('a hub with a provider in its own file asks it, tells how it is, and says when the secret is missing', async () => {
  const openid = await serveOpenId()
  openid.as = 'u-ada'
  openid.people.set('u-ada', { email: 'ada@example.com', email_verified: true })
  fixture = await createFixture({ env: { OIDC_SECRET: openid.secret } })
  const config = join(fixture.env.XDG_CONFIG_HOME ?? '', 'drydock', 'config.json')
  await mkdir(dirname(config), { recursive: true })
  const write = (client_secret_env: string) => {
    const roles = { admin: { emails: ['ada@example.com'] } }
    const oidc = { issuer: openid.issuer, client_id: 'hub', client_secret_env, roles }
    return writeFile(config, JSON.stringify({ hub: { oidc } }))
  }
  await write('NOT_SET')
  const refused = await fixture.drydock('hub')
  expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('NOT_SET')])
  await write('OIDC_SECRET')
  const hub = start('--listen', '127.0.0.1:0')
  const port = await portOf(hub)
  const origin = `http://127.0.0.1:${port}`
  openid.start(origin)
  expect(JSON.parse((await ask(port, '/server')).body).provider).toBe(new URL(openid.issuer).host)
  const headers = { Origin: origin, 'Content-Type': 'application/json' }
  const begun = await ask(port, '/session/provider', { method: 'POST', headers, body: '{}' })
  const { url, flow } = JSON.parse(begun.body)
  const Cookie = begun.headers['set-cookie']?.[0]?.split(';')[0] ?? ''
  const body = JSON.stringify({ flow, answer: await openid.visit(url) })
  const signed = await ask(port, '/session/provider/answer', { method: 'POST', headers: { ...headers, Cookie }, body })
  expect(JSON.parse(signed.body).actor).toMatchObject({ name: 'ada@example.com', role: 'admin' })
  // A hub prints its address before it owns the state.
  const health = async () => (await ask(port, '/health/ready', { headers: { Host: 'probe' } })).body
  await expect.poll(health).toContain('"status":"ready"')
  const watcher = (await fixture.drydock('hub', 'token', 'add', 'prometheus', '--role', 'monitor')).stdout.trim()
  const { body: figures } = await ask(port, '/api/metrics', { headers: bearer(watcher) })
  expect(figures).toContain('drydock_owned 1')
  const list = await fixture.drydock('hub', 'token', 'list')
  expect(list.stdout).toMatch(/ada@example\.com +admin \(provider\)/)
  expect((await fixture.drydock('hub', 'token', 'revoke', 'ada@example.com')).exitCode).toBe(0)
  hub.child.kill('SIGTERM')
  const { stdout, stderr } = await hub.ended
  expect(stderr).toContain('"what":"sign_in","name":"ada@example.com"')
  expect(stdout + stderr).not.toContain(openid.secret)
})

test('a hub does the work that people hand in, and says of each who it was', async () => {
  fixture = await createFixture()
  const ada = await tokenFor('ada', 'operator')
  const eve = await tokenFor('eve', 'viewer')
  const hub = start('--listen', '127.0.0.1:0', '--model', await fixture.replay(greenLanes))
  const port = await portOf(hub)
  const asking = { method: 'POST', headers: bearer(ada), body: JSON.stringify({ task: 'say new' }) }
  expect((await ask(port, '/api/tasks', { ...asking, headers: bearer(eve) })).status).toBe(403)
  const file = JSON.stringify({ task: 'say new', models: { default: `replay:${join(fixture.folder, 'x')}` } })
  expect((await ask(port, '/api/tasks', { ...asking, body: file })).status).toBe(400)
  const spec = JSON.stringify({ spec: `---\nrepositories:\n  - ${fixture.folder}\n---\n# Take it` })
  const elsewhere = await ask(port, '/api/runs', { ...asking, body: spec })
  expect([elsewhere.status, elsewhere.body]).toEqual([400, expect.stringContaining('names no other repository')])
  const { run } = JSON.parse((await ask(port, '/api/tasks', asking)).body)
  const said = { ...asking, body: JSON.stringify({ text: 'Keep it short.' }) }
  const stream = await followStream(port, '/api/events?after=0', bearer(eve))
  await stream.until((event) => event.type === 'run' && event.run === run && event.actor === 'ada')
  const posted = await ask(port, `/api/runs/${run}/posts`, said)
  expect([202, 409]).toContain(posted.status)
  const result = await stream.until((event) => event.type === 'result')
  expect([result.run, result.actor]).toEqual([run, undefined])

  expect((await fixture.drydock('status', run)).stdout).toContain('Started by ada.')
  expect((await fixture.drydock('report', run)).stdout).toContain('Started by: ada')
  expect((await fixture.drydock('log', run)).stdout).toContain('(by ada)')
  if (posted.status === 202) expect((await fixture.drydock('chat', run)).stdout).toContain('human ada')

  const list = await fixture.drydock('hub', 'token', 'list', '--json')
  expect(list.events).toMatchObject([
    { name: 'ada', role: 'operator', last_used_at: expect.any(String) },
    { name: 'eve', role: 'viewer', last_used_at: expect.any(String) },
  ])
  expect((await fixture.drydock('hub', 'token', 'revoke', 'eve')).exitCode).toBe(0)
  await stream.ended
  hub.child.kill('SIGTERM')
  const { exitCode, stdout, stderr } = await hub.ended
  expect(exitCode).toBe(130)
  expect(stderr).toContain('"code":"not_allowed","name":"eve"')
  for (const token of [ada, eve]) expect(stdout + stderr + list.stdout).not.toContain(token)
})
