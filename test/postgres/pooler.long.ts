import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { createFixture, greenLanes, runHere } from '../scenarios/world/fixture.ts'
import { createDatabase, freePort, psql, serverUser, sharedServer } from './server.ts'

/** A PgBouncer in front of the tests' server, with transaction pooling. */
async function startPooler(settings: Readonly<Record<string, string>>): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-pooler-'))
  chmodSync(folder, 0o755)
  const [port, server] = [await freePort(), await sharedServer()]
  const own = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    pool_mode: 'transaction',
    auth_type: 'trust',
    auth_file: join(folder, 'users'),
    ...settings,
  }
  const lines = Object.entries(own).map(([name, value]) => `${name} = ${value}`)
  const file = join(folder, 'pgbouncer.ini')
  writeFileSync(own.auth_file, '"app" ""\n')
  writeFileSync(file, `[databases]\n* = host=127.0.0.1 port=${server.port}\n[pgbouncer]\n${lines.join('\n')}\n`)
  const child: ChildProcess = spawn('/usr/sbin/pgbouncer', [file], {
    ...serverUser,
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ended = once(child, 'close')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
    rmSync(folder, { recursive: true, force: true })
  })
  for await (const line of createInterface({ input: child.stderr as NodeJS.ReadableStream }))
    if (line.includes('process up')) return port
  throw new Error('the pooler does not start')
}

async function world() {
  const [fixture, database] = [await createFixture(), await createDatabase()]
  onTestFinished(async () => {
    await fixture.remove()
    database.drop()
  })
  const at = (url: string, ...args: readonly string[]) =>
    runHere([...args, '--repo', fixture.repo], { ...fixture.env, DRYDOCK_DATABASE_URL: url })
  const behind = (port: number) => `postgres://app@127.0.0.1:${port}/${database.name}`
  return { fixture, database, at, behind }
}

test.each([
  ['refuses the settings of a session', {}, 'A pooler answers at'],
  ['drops the settings of a session', { ignore_startup_parameters: 'options' }, 'drops the settings of sessions'],
])('a pooler that %s is named by a task and by doctor, with what to do', async (_what, settings, words) => {
  const { fixture, at, behind } = await world()
  const url = behind(await startPooler(settings))
  const model = await fixture.replay(greenLanes)
  const task = await at(url, 'task', 'say new', '--model', model)
  const doctor = await at(url, 'doctor', '--model', model)
  expect([task.exitCode, doctor.exitCode]).toEqual([2, 2])
  for (const said of [task.stderr, doctor.stdout]) {
    expect(said).toContain(words)
    expect(said).toMatch(/Name the server itself, not .*pooler/)
  }
})

test('a pooler that looks like the server is found by doctor, since two clients share a session', async () => {
  const { database, at, behind } = await world()
  const there = await at(database.url, 'doctor')
  const schema = /schema (drydock_\w+)/.exec(there.stdout)?.[1]
  // Settings that are requested for one session apply to all sessions.
  psql(await sharedServer(), `alter database ${database.name} set search_path = ${schema}`)
  const url = behind(await startPooler({ ignore_startup_parameters: 'options' }))
  expect((await at(url, 'doctor')).stdout).toContain('gives one session to several clients')
})
