import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { afterEach, expect, onTestFinished, test } from 'vitest'
import { createFixture, type Fixture, greenLanes } from '../scenarios/world/fixture.ts'
import { launch, type Running } from '../scenarios/world/process.ts'
import { ask, followStream } from './browser.ts'

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

test('a hub without TLS listens on this machine alone, and says what is missing', async () => {
  fixture = await createFixture()
  const key = join(fixture.folder, 'key.pem')
  await writeFile(key, 'no key')
  const refused = async (...args: string[]) => {
    const { exitCode, stderr } = await fixture.drydock('hub', ...args)
    return `${exitCode} ${stderr}`
  }
  for (const host of ['0.0.0.0', '[::]', '10.0.0.1', '127.0.0.1.evil.example'])
    expect(await refused('--listen', `${host}:0`)).toContain('would get tokens without TLS')
  expect(await refused('--listen', '127.0.0.1')).toContain('is not HOST:PORT')
  expect(await refused('--behind-proxy', 'http://hub.example')).toContain('without TLS')
  expect(await refused('--behind-proxy', 'https://hub.example/path')).toContain('is not an origin')
  expect(await refused('--tls-cert', key)).toContain('belong together')
  expect(await refused('--tls-cert', key, '--tls-key', key)).toContain('is not PEM')
  expect(await refused('--role', 'admin')).toMatch(/^2 .*belong to a token/s)
  expect(await refused('token', 'add', 'ada', '--role', 'viewer', '--expires', '-1d')).toContain('is not a time')
  expect(await refused('token', 'revoke', 'nobody')).toContain('There is no token named')
})

/** What a client sends, and then nothing more, until the server has ended the connection. */
async function _trickle(port: number, first: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => {}).resume()
  await once(socket, 'connect')
  socket.write(first)
  return socket
}
