import { mkdtempSync, rmSync } from 'node:fs'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { createSystemClock } from '../../src/adapters/clock/system-clock.ts'
import { createSharedEngine } from '../../src/adapters/engine/shared-engine.ts'
import { createPostgresStore } from '../../src/adapters/store/postgres/postgres-store.ts'
import { limits } from '../../src/domain/limits.ts'
import { createFixture, type Fixture, greenLanes, resultOf, runHere } from '../scenarios/world/fixture.ts'
import { findGate, gatedLanes, gateReached, launch } from '../scenarios/world/process.ts'
import { createDatabase, makeServer, type PostgresServer, psql, sharedServer } from './server.ts'

/** A separate server, since the tests crash it. */
let server: PostgresServer
let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'drydock-crashing-'))
  await chmod(folder, 0o755)
  server = await makeServer(join(folder, 'server'))
})
afterAll(async () => {
  await server.stop('SIGQUIT')
  rmSync(folder, { recursive: true, force: true })
})

let fixture: Fixture
beforeEach(async () => {
  fixture = await createFixture({ env: { DRYDOCK_DATABASE_URL: server.url() } })
})
afterEach(() => fixture.remove())

test('a task continues after its server has crashed and restarted', async () => {
  const args = ['task', 'say new', '--json', '--model', await fixture.replay(gatedLanes), '--repo', fixture.repo]
  const running = launch(args, fixture)
  await running.line(gateReached)
  const gate = await findGate((await fixture.open()).workTrees.path('coder-001'))
  await server.stop('SIGQUIT')
  await server.start()
  await gate.open()
  const done = await running.ended
  expect(done.exitCode, done.stderr).toBe(0)
  expect(resultOf(done)).toMatchObject({ status: 'DONE', branch: 'drydock/say-new' })
})

test('a task continues after its server has crashed before a commit', async () => {
  const { openDrydock } = await import('../../src/compose.ts')
  const { follow } = await import('../../src/app/wait/follow.ts')
  const model = await fixture.replay(greenLanes)
  let commits = 0
  const drydock = await openDrydock({
    directory: fixture.repo,
    env: fixture.env,
    async beforeCommit() {
      commits += 1
      if (commits % 6 !== 0) return
      await server.stop('SIGQUIT')
      await server.start()
    },
  })
  const task = { text: 'say new', constraints: [], non_goals: [], files: [] }
  const request = { kind: 'task', task, dryRun: false, apply: false } as const
  const models = { architect: null, editor: model, scout: model }
  await drydock.submit('start', { kind: 'start', run: 'say-new', request, target: null, configFile: null, models })
  const following = follow(drydock, {
    runs: ['say-new'],
    after: 0,
    coders: 1,
    own: true,
    noWait: false,
    humanDelayMs: 0,
    onEvent: () => {},
    onNote: () => {},
    stop: new AbortController().signal,
  })
  expect((await following).results.get('say-new')).toMatchObject({ status: 'DONE', branch: 'drydock/say-new' })
  expect(commits).toBeGreaterThan(12)
})

test('a transaction that a crash has undone begins again, also when its id went to another one', async () => {
  const place = { url: server.url(), shown: 'the server', schema: 'drydock_undone', id: 'undone' }
  let crashes = 1
  const store = await createPostgresStore({
    ...place,
    clock: createSystemClock(),
    async beforeCommit() {
      crashes -= 1
      if (crashes < 0) return
      await server.stop('SIGQUIT')
      await server.start()
      for (let id = 0; id < 20; id += 1) psql(server, 'select pg_current_xact_id()')
    },
  })
  let tries = 0
  await store.transact(async (tx) => {
    tries += 1
    await tx.appendEvent({ run: 'r', story: null, type: 'resumed', data: { lane: `${tries}` } })
  })
  expect((await store.events({ after: 0, limit: 10 })).map(({ data }) => data)).toEqual([{ lane: '2' }])
  await store.close()
})

test('a worker whose server has crashed ends its step when the server is there again', async () => {
  const place = { url: server.url(), shown: 'the server', schema: 'drydock_shared', id: 'shared' }
  const store = await createPostgresStore({ ...place, clock: createSystemClock(), role: 'worker' })
  const failures: unknown[] = []
  const onFailure = (error: unknown) => void failures.push(error)
  const engine = createSharedEngine({ store, clock: createSystemClock(), host: 'here', onFailure })
  const lane = { kind: 'lane', run: 'r', story: null, state: 'ASKING', data: {} } as const
  const committed = Promise.withResolvers<string>()
  engine.work('lane', 1, async (step, commit) => {
    if (step.machine === 'first') {
      await server.stop('SIGQUIT')
      await server.start()
    }
    const isCommitted = await commit(async (tx) => {
      if (step.machine === 'first') await tx.queue(await tx.insertMachine({ ...lane, id: 'second' }))
    })
    if (step.machine === 'second' || !isCommitted) committed.resolve(`${step.machine} ${isCommitted}`)
  })
  await engine.transact(async (tx) => tx.queue(await tx.insertMachine({ ...lane, id: 'first' })))
  expect(await committed.promise).toBe('second true')
  await engine.stop({ drain: true })
  await store.close()
  expect(failures).toEqual([])
})

const joining = (host: string) => ({
  host,
  keepsState: false,
  signs: limits.workers,
  onSign: () => {},
  onCommit: () => {},
})

test.each([
  ['right after a restart of the server', 'drydock_restarted', false],
  ['once the others were heard of after a restart of the server', 'drydock_heard_again', true],
] as const)('a worker that comes %s leaves the others what they have', async (_when, schema, heardAgain) => {
  const place = { url: server.url(), shown: 'the server', schema, id: 'restarted' }
  const open = () => createPostgresStore({ ...place, clock: createSystemClock(), role: 'worker' })
  const first = await open()
  let heard = Promise.withResolvers<void>()
  await first.join({ ...joining('first'), onSign: (sign) => sign === 'alive' && heard.resolve() })
  const write = () =>
    first.transact((tx) => tx.appendEvent({ run: 'r', story: null, type: 'resumed', data: { lane: 'a' } }))
  await write()
  await server.stop('SIGQUIT')
  heard = Promise.withResolvers()
  await server.start()
  // Refers to the connection for heartbeats; the writing connection is reopened when needed.
  if (heardAgain) await heard.promise
  const second = await open()
  await second.join(joining('second'))
  await write()
  expect(await first.events({ after: 0, limit: 10 })).toHaveLength(2)
  for (const store of [first, second]) await store.close()
})

const secret = 'pa55word-of-app'

test.each([
  [
    'a wrong password',
    () => `postgres://guarded:${secret}@127.0.0.1:${server.port}/postgres`,
    'refuses the user or the password',
  ],
  ['a database that is not there', () => server.url('nowhere').replace('app@', `app:${secret}@`), 'does not exist'],
  [
    'a user without rights',
    () => `postgres://weak:${secret}@127.0.0.1:${server.port}/postgres`,
    'GRANT CREATE ON DATABASE',
  ],
  [
    'a user who may only read',
    () => `postgres://reader:${secret}@127.0.0.1:${server.port}/postgres`,
    'can only be read',
  ],
  [
    'a user without a free connection',
    () => `postgres://crowded:${secret}@127.0.0.1:${server.port}/postgres`,
    'no more connections',
  ],
  ['another encoding', () => server.url('ascii').replace('app@', `app:${secret}@`), 'needs UTF8'],
  ['a server that is not there', () => `postgres://app:${secret}@127.0.0.1:1/postgres`, 'cannot be reached'],
  ['no URL of PostgreSQL', () => `mysql://app:${secret}@localhost/db`, 'Write it like postgres://'],
])('%s is said with what to do and without the password, by a task and by doctor', async (_what, url, words) => {
  prepareUsers()
  const env = { ...fixture.env, DRYDOCK_DATABASE_URL: url() }
  const model = await fixture.replay(greenLanes)
  const task = await runHere(['task', 'say new', '--model', model, '--repo', fixture.repo], env)
  const doctor = await runHere(['doctor', '--model', model, '--repo', fixture.repo], env)
  expect([task.exitCode, doctor.exitCode].every((code) => code === 2 || code === 4)).toBe(true)
  for (const said of [`${task.stdout}${task.stderr}`, `${doctor.stdout}${doctor.stderr}`]) {
    expect(said).toContain(words)
    expect(said).not.toContain(secret)
  }
})

test('a password of .pgpass opens the server, and nothing warns of it', async () => {
  prepareUsers()
  const { HOME = '' } = fixture.env
  await mkdir(HOME, { recursive: true })
  await writeFile(join(HOME, '.pgpass'), `127.0.0.1:${server.port}:*:guarded:another\n`, { mode: 0o600 })
  const url = `postgres://guarded@127.0.0.1:${server.port}/postgres`
  const model = await fixture.replay(greenLanes)
  const args = ['doctor', '--model', model, '--repo', fixture.repo]
  const { stdout, stderr } = await launch(args, { env: { ...fixture.env, DRYDOCK_DATABASE_URL: url } }).ended
  // The check got as far as the rights of the user.
  expect(`${stdout}${stderr}`).toContain('GRANT CREATE ON DATABASE')
  expect(`${stdout}${stderr}`).not.toMatch(/another|deprecat/i)
})

let isPrepared = false

function prepareUsers(): void {
  if (isPrepared) return
  isPrepared = true
  psql(
    server,
    `create role guarded login password 'another'; create role weak login; create role crowded login connection limit 0;
    create role reader login; alter role reader set default_transaction_read_only = on; grant create on database postgres to reader`,
  )
  psql(server, `create database ascii encoding 'SQL_ASCII' template template0 lc_collate 'C' lc_ctype 'C'`)
  server.guard('guarded')
}

/** An administrator ends the session, or its query, while it waits for a locked row. */
test.each(['pg_terminate_backend', 'pg_cancel_backend'])('a transaction that %s undoes begins again', async (undo) => {
  const [server, database] = [await sharedServer(), await createDatabase()]
  onTestFinished(() => database.drop())
  const place = { url: database.url, shown: 'the server', schema: 'drydock_undone', id: 'undone' }
  const store = await createPostgresStore({ ...place, clock: createSystemClock(), role: 'worker' })
  const lane = { id: 'a', kind: 'lane', run: 'r', story: null, state: 'ASKING', data: { tries: 0 } } as const
  const first = await store.transact((tx) => tx.insertMachine(lane))
  const other = new pg.Client({ connectionString: database.url, options: `-c search_path=${place.schema}` })
  await other.connect()
  await other.query('begin; select from machines for update')
  let tries = 0
  const writing = store.transact(async (tx) => {
    tries += 1
    await tx.appendEvent({ run: 'r', story: null, type: 'resumed', data: { lane: `${tries}` } })
    return tx.edit(first, { tries })
  })
  const waiting = `from pg_stat_activity where wait_event_type = 'Lock' and datname = '${database.name}'`
  await expect.poll(() => psql(server, `select ${undo}(pid) ${waiting}`)).toBe('t')
  await other.query('rollback')
  expect(await writing).toMatchObject({ version: 2, data: { tries: 2 } })
  expect((await store.events({ after: 0, limit: 10 })).map(({ data }) => data)).toEqual([{ lane: '2' }])
  // An error that the work itself throws is not a lost connection, whatever its code.
  const missing = Object.assign(new Error('no such file'), { code: 'ENOENT' })
  tries = 0
  const failing = store.transact(async () => {
    tries += 1
    throw missing
  })
  await expect(failing).rejects.toBe(missing)
  expect(tries).toBe(1)
  await Promise.all([store.close(), other.end()])
})

test.each([
  ['an owner', 'owner'],
  ['a worker', 'worker'],
] as const)('%s that lost its connection stops when another owner has taken the state', async (_who, role) => {
  const [server, database] = [await sharedServer(), await createDatabase()]
  onTestFinished(() => database.drop())
  const place = { url: database.url, shown: 'the server', schema: `drydock_owned_${role}`, id: 'owned' }
  const open = (as: 'owner' | 'worker') => createPostgresStore({ ...place, clock: createSystemClock(), role: as })
  const first = await open(role)
  const write = () =>
    first.transact((tx) => tx.appendEvent({ run: 'r', story: null, type: 'resumed', data: { lane: 'a' } }))
  await write()
  psql(
    server,
    `select pg_terminate_backend(pid) from pg_locks join pg_database on pg_database.oid = database
    where locktype = 'advisory' and datname = '${database.name}'`,
  )
  const second = await open('owner')
  await second.close()
  await expect(write()).rejects.toMatchObject({
    code: 'state_unusable',
    message: expect.stringContaining('Another process'),
  })
  expect(await first.events({ after: 0, limit: 10 })).toHaveLength(1)
  await first.close()
})

test('sessions that are ended one after the other keep no command from opening the state', async () => {
  const database = await createDatabase()
  onTestFinished(() => database.drop())
  let isOver = false
  const ended = (async () => {
    let count = 0
    const client = new pg.Client({ connectionString: database.url, application_name: 'fault' })
    await client.connect()
    while (!isOver && count < 12) {
      const { rows } = await client.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'drydock' and datname = '${database.name}'
          and (state <> 'idle' or query <> '') limit 1`,
      )
      count += rows.length
    }
    await client.end()
    return count
  })()
  const place = { url: database.url, shown: 'the server', schema: 'drydock_opening', id: 'opening' }
  const stores = []
  for (const role of ['worker', 'worker'] as const)
    stores.push(await createPostgresStore({ ...place, clock: createSystemClock(), role }))
  isOver = true
  expect(await ended).toBeGreaterThan(0)
  const [first, second] = stores
  for (const store of [first, second])
    await store?.transact((tx) => tx.appendEvent({ run: 'r', story: null, type: 'resumed', data: { lane: 'a' } }))
  expect(await first?.events({ after: 0, limit: 10 })).toHaveLength(2)
  for (const store of stores) await store.close()
})

test('workers that were cut off from the server together do not give each other up', async () => {
  const database = await createDatabase(server)
  const place = { url: database.url, shown: 'the server', schema: 'drydock_together', id: 'together' }
  const signs = { beatMs: 50, silentMs: 2_000, hostMs: 60_000, lostMs: 0 }
  const heard: string[] = []
  const stores = []
  for (const host of ['first', 'second']) {
    const store = await createPostgresStore({ ...place, clock: createSystemClock(), role: 'worker' })
    await store.join({ ...joining(host), signs, onSign: (sign) => void heard.push(`${host} ${sign}`) })
    stores.push(store)
  }
  await expect.poll(() => new Set(heard).size).toBe(2)
  // Simulates a network outage between all of them and the server, which answers nobody.
  const frozen = psql(server, `select pid from pg_stat_activity where datname = '${database.name}'`)
    .split('\n')
    .map(Number)
  for (const pid of frozen) process.kill(pid, 'SIGSTOP')
  await delay(3_000)
  heard.length = 0
  // The requests of that time are not carried out once the server's processes continue, either.
  for (const signal of ['SIGTERM', 'SIGCONT'] as const) for (const pid of frozen) process.kill(pid, signal)
  await expect.poll(() => heard.length).toBeGreaterThan(60)
  expect(new Set(heard)).toEqual(new Set(['first alive', 'second alive']))
  for (const store of stores) await store.close()
})
