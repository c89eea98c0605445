import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createSystemClock } from '../../src/adapters/clock/system-clock.ts'
import { createPostgresStore } from '../../src/adapters/store/postgres/postgres-store.ts'
import { makeWorkerRole } from '../../src/adapters/store/postgres/worker-role.ts'
import { burn, insistingLanes, reachGate, resultOf, type WorkerWorld, workerWorld } from '../hub/worker-world.ts'
import { greenStory, type Lanes, specLanes } from '../scenarios/world/crew.ts'
import { greenLanes } from '../scenarios/world/fixture.ts'
import { createDatabase, makeServer, type PostgresServer, psql } from './server.ts'

const two: Lanes = { ...specLanes('alpha', 'beta'), ...greenStory('alpha'), ...greenStory('beta') }

const folder = mkdtempSync(join(tmpdir(), 'worker-role-'))
chmodSync(folder, 0o755)
/** The hub does not run as a superuser. */
let server: PostgresServer
beforeAll(async () => {
  const made = await makeServer(join(folder, 'server'))
  psql(made, 'create role keeper login createrole')
  psql(made, 'create role plain login')
  const asKeeper = (name: string) => `postgres://keeper@127.0.0.1:${made.port}/${name}`
  server = { ...made, url: (name = 'postgres') => (name.startsWith('test_') ? asKeeper(name) : made.url(name)) }
  for (const name of ['drydock_worker', 'other_worker']) made.guard(name)
})
afterAll(async () => {
  await server.stop('SIGINT')
  rmSync(folder, { recursive: true, force: true })
})

const databaseOf = (url: string) => new URL(url).pathname.slice(1)
const superuser = (world: WorkerWorld) => `postgres://app@127.0.0.1:${server.port}/${databaseOf(world.database)}`

/** A hub whose user has created a role for workers, and the address that it has printed. */
async function world(lanes: Lanes) {
  const made = await workerWorld(lanes, { at: server }, async ({ env }) => {
    const name = databaseOf(env.DRYDOCK_DATABASE_URL ?? '')
    psql(server, `grant create on database ${name} to keeper`)
  })
  onTestFinished(() => void psql(server, 'drop role if exists drydock_worker'))
  onTestFinished(() => void psql(server, `drop database ${databaseOf(made.database)} with (force)`))
  const role = async (...more: readonly string[]) => made.fixture.drydock('hub', 'worker-role', ...more)
  const { exitCode, stdout, stderr } = await role('drydock_worker')
  expect([exitCode, stderr]).toEqual([0, expect.stringContaining('shown only once')])
  const url = stdout.trim()
  const worker = async (name: string) => {
    const running = await made.tryWorker(name, { DRYDOCK_DATABASE_URL: url }, '--coders', '1')
    const { host } = JSON.parse(await running.line(/"type":"worker"/))
    const root = join(made.fixture.folder, `root-${name}`)
    const state = execFileSync('sh', ['-c', `echo ${root}/workers/*`], { encoding: 'utf8' }).trim()
    return { ...running, host, root, state, token: '' }
  }
  return { ...made, url, role, worker }
}

test('workers with their own role do all of their work, and a restarted hub continues with them', async () => {
  const made = await world({ ...two, ...greenLanes })
  expect(await made.forHub({ DRYDOCK_DATABASE_URL: made.url })).toMatchObject({ database: { ok: true } })
  await Promise.all([made.worker('one'), made.worker('two')])
  const first = await made.build()
  expect(await resultOf(made, first)).toMatchObject({ status: 'DONE' })
  made.hub.child.kill('SIGKILL')
  await made.hub.ended
  const { stream } = await made.again(0)
  const second = await made.task('Make a change')
  expect(await resultOf({ stream }, second)).toMatchObject({ status: 'DONE' })
})

test('a worker with its own role takes over from a lost one', async () => {
  const made = await world(insistingLanes)
  const one = await made.worker('one')
  const run = await made.build()
  await reachGate(one)
  await made.worker('two')
  await burn(one)
  expect(await resultOf(made, run)).toMatchObject({ status: 'DONE' })
})

test('the first worker after a crash of the whole server, and of the hub, has the rights for what it does', async () => {
  const made = await world(two)
  const one = await made.worker('one')
  one.child.kill('SIGTERM')
  await one.ended
  made.hub.child.kill('SIGKILL')
  await made.hub.ended
  // This hub only serves requests, and keeps no state: only the worker holds the lock.
  const shown = made.tryHub('--no-own')
  await shown.line(/^https?:/)
  await made.worker('two')
})

/** Statements that a worker's password must not allow. */
const attacks: readonly string[] = [
  ...['hub_tokens', 'hub_sessions', 'commands', 'forge_calls'].flatMap((table) => [
    `select * from ${table}`,
    `select count(*) from ${table}`,
    `copy ${table} to stdout`,
    `delete from ${table}`,
    `begin; lock table ${table}`,
  ]),
  `insert into hub_tokens (name, role, hash, created_at) values ('mallory', 'admin', '00', '2026-01-01')`,
  `update hub_tokens set role = 'admin'`,
  `insert into hub_sessions values ('00', '00', 1, '2999-01-01')`,
  `insert into commands (key, kind, payload, created_at) values ('m', 'cancel', '{}', '2026-01-01')`,
  `insert into forge_calls (key, run, call, request, started_at) values ('m', 'r', 'push', '{}', '2026-01-01')`,
  // These statements change the past.
  ...['events', 'messages', 'model_calls', 'verifications', 'chat_messages', 'context_files'].flatMap((table) => [
    `delete from ${table}`,
    `truncate ${table} cascade`,
  ]),
  `update events set data = '{}'`,
  `update messages set message = '{}'`,
  `update model_calls set cost_micro_usd = 0`,
  `update verifications set status = 'PASS'`,
  `update chat_messages set author = 'ada'`,
  `update context_files set content = ''`,
  `update tool_executions set arguments = '{}'`,
  `update reservations set run = 'other'`,
  `insert into events (run, type, data, at, actor) values ('r', 'resume', '{}', '2026-01-01', 'ada')`,
  `insert into chat_messages (agent_id, content, timestamp, run, author) values ('human', 'yes', '2026-01-01', 'r', 'ada')`,
  `insert into chat_messages (agent_id, content, timestamp, run, reply_to)
    select 'human', 'yes', '2026-01-01', run, id from chat_messages limit 1`,
  // Work that only the hub may do.
  ...['run', 'schedule', 'landing'].map(
    (kind) =>
      `insert into machines (id, kind, run, state, version, data, created_at, updated_at) values ('m', '${kind}', 'm', 'WAITING', 1, '{}', '', '')`,
  ),
  `insert into jobs (queue, machine, version, run_at) values ('landing', 'm', 1, '2026-01-01')`,
  `insert into jobs (queue, machine, version, run_at) values ('schedule', 'm', 1, '2026-01-01')`,
  `update machines set kind = 'landing'`,
  `update machines set run = 'other'`,
  'delete from machines',
  'update workers set id = gen_random_uuid()::text',
  'update jobs set queue = $$landing$$',
  `update drydock_state set id = 'other'`,
  'delete from drydock_state',
  `insert into drydock_state (id) values ('other')`,
  `update schema_versions set drydock = '99.0.0'`,
  `delete from kysely_migration`,
  `insert into kysely_migration values ('999', '2026-01-01')`,
  // These statements change the schema.
  'create table mine (id int)',
  'create function mine() returns int language sql as $$select 1$$',
  'create or replace function instr(text, text) returns integer language sql as $$select 0$$',
  'drop function instr(text, text)',
  'create view mine as select * from machines',
  'create trigger mine before insert on events for each row execute function suppress_redundant_updates_trigger()',
  'create rule mine as on insert to events do instead nothing',
  'create index on events (at)',
  'create schema mine',
  'create extension dblink',
  'create database mine',
  'drop table events cascade',
  'alter table events add column mine text',
  'alter table events disable trigger all',
  'alter table machines disable row level security',
  'drop policy no_insert_for_the_hub on machines',
  'alter table hub_tokens owner to current_user',
  'comment on table events is $$mine$$',
  'create table public.mine (id int)',
  'create publication mine for all tables',
  'create event trigger mine on ddl_command_start execute function pg_notify()',
  `alter sequence hub_tokens_id_seq restart`,
  `select setval('hub_tokens_id_seq', 1)`,
  `select nextval('events_id_seq')`,
  // These statements change roles and their rights.
  'create role mine',
  'alter role keeper password $$mine$$',
  'alter role drydock_worker superuser',
  'alter role drydock_worker createrole',
  'alter role drydock_worker bypassrls',
  `alter role keeper set search_path = 'mine'`,
  `alter database postgres set search_path = 'mine'`,
  'grant keeper to drydock_worker',
  'grant drydock_worker to plain',
  'grant select on hub_tokens to drydock_worker',
  'alter default privileges for role keeper grant all on tables to drydock_worker',
  'set role keeper',
  'set session authorization keeper',
  'drop role keeper',
  'drop owned by keeper',
  'reassign owned by keeper to drydock_worker',
  'select * from pg_authid',
  'select rolpassword from pg_authid',
  'select * from pg_shadow',
  // Access to the server's machine.
  `copy (select 1) to program 'true'`,
  `copy events from program 'true'`,
  `copy (select 1) to '/tmp/mine'`,
  `copy events from '/etc/passwd'`,
  `select pg_read_file('/etc/passwd')`,
  `select pg_read_binary_file('postgresql.conf')`,
  `select pg_ls_dir('.')`,
  `select pg_stat_file('postgresql.conf')`,
  `select lo_import('/etc/passwd')`,
  `select lo_export(1, '/tmp/mine')`,
  `select lo_get(4711)`,
  `select lo_unlink(4711)`,
  `select lo_put(4711, 0, 'mine')`,
  'delete from pg_largeobject',
  `alter system set log_statement = 'all'`,
  `set log_statement = 'all'`,
  `set session_replication_role = replica`,
  'select pg_reload_conf()',
  'select pg_rotate_logfile()',
  'checkpoint',
  `load '/tmp/mine.so'`,
  `do language c 'x'`,
  `select pg_terminate_backend(pid) from pg_stat_activity where usename = 'keeper'`,
  `select pg_cancel_backend(pid) from pg_stat_activity where usename = 'keeper'`,
  'update pg_proc set prosrc = $$mine$$',
  'set row_security = off; select * from machines',
]

test('a stolen password of a worker reads and changes nothing that no worker needs', async () => {
  const database = await createDatabase(server)
  psql(server, `grant create on database ${database.name} to keeper`)
  const schema = `drydock_${database.name}`
  const place = { url: database.url, schema, shown: 'the server', id: 'id' }
  const store = await createPostgresStore({ ...place, clock: createSystemClock(), role: 'worker' })
  const made = await makeWorkerRole(place, { name: 'drydock_worker', newPassword: false, asSql: false })
  await store.transact(async (tx) => {
    await tx.postMessage({
      agent_id: 'architect',
      content: 'Which?',
      reply_to: null,
      post_type: 'escalate',
      run: 'run',
      story: null,
    } as Parameters<typeof tx.postMessage>[0])
    await tx.appendEvent({ run: 'run', story: null, type: 'run', data: { kind: 'task', title: 'It' } })
    await tx.insertHubToken({ name: 'ada', role: 'admin', hash: 'aa', expiresAt: null })
    for (const [id, kind] of [
      ['theirs', 'landing'],
      ['planned', 'schedule'],
    ] as const)
      await tx.queue(await tx.insertMachine({ id, kind, run: id, story: null, state: 'WAITING', data: {} }))
  })
  await store.close()
  const owner = `postgres://app@127.0.0.1:${server.port}/${database.name}`
  const everything = new pg.Client(owner)
  await everything.connect()
  onTestFinished(async () => {
    await everything.end()
    psql(server, `drop database ${database.name} with (force)`)
    psql(server, 'drop role drydock_worker')
  })
  await everything.query(`select lo_from_bytea(4711, 'theirs')`)
  const dump = () =>
    execFileSync('pg_dump', ['--dbname', owner], { encoding: 'utf8' })
      .split('\n')
      // A refused insert moves its sequence, too.
      .filter((line) => !/^\\(?:un)?restrict |^SELECT pg_catalog\.setval\(/.test(line))
  const roles = () => everything.query('select * from pg_roles order by oid').then(({ rows: all }) => all)
  const before = [dump(), await roles()]

  const url = new URL(made.url ?? '')
  // A session of the hub that a thief could end.
  const keeper = new pg.Client(owner.replace('app@', 'keeper@'))
  const client = new pg.Client({ connectionString: url.href, options: `-c search_path=${schema}` })
  for (const session of [keeper, client]) {
    await session.connect()
    onTestFinished(() => session.end())
  }
  const thief = async (sql: string) => {
    try {
      await client.query(sql)
      return 'done'
    } catch (error) {
      return `${(error as { code?: string }).code}`
    } finally {
      await client.query('rollback')
    }
  }
  const held = []
  for (const attack of attacks) {
    const said = await thief(attack)
    // A statement that fails for a typing error would prove nothing.
    if (said !== '42501') held.push([attack, said])
  }
  expect(held).toEqual([])
  // Rows that the rules hide from a change seem not to exist.
  for (const attack of [
    `update machines set state = 'DONE' where kind in ('landing', 'schedule')`,
    `delete from jobs where queue in ('landing', 'schedule')`,
    `update jobs set run_at = '2026-01-01' where queue in ('landing', 'schedule')`,
  ])
    expect(await thief(attack)).toBe('done')
  expect([dump(), await roles()]).toEqual(before)
})

test('a role is made once, keeps its password, and takes no role that can do more', async () => {
  const made = await world(two)
  const again = await made.role('drydock_worker')
  expect([again.exitCode, again.stdout]).toEqual([0, expect.stringContaining('the password that it had')])
  const connects = async (url: string) => {
    const client = new pg.Client(url)
    return client.connect().then(
      () => client.end().then(() => true),
      () => false,
    )
  }
  expect(await connects(made.url)).toBe(true)
  const changed = await made.role('drydock_worker', '--new-password')
  expect([await connects(made.url), await connects(changed.stdout.trim())]).toEqual([false, true])

  for (const name of ['keeper', 'app']) {
    const refused = await made.role(name)
    expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('can do more than a worker')])
  }
  psql(server, 'create role member login in role pg_read_all_data')
  expect((await made.role('member')).stderr).toContain('is a member of other roles')
  for (const name of [`x'; drop table events; --`, 'pg_mine', 'A', 'x"y', '']) {
    const refused = await made.role(name)
    expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('is not a name')])
  }
})

test('a hub that may make no roles prints what an administrator runs, and no password is in that', async () => {
  // Runs last, when no database grants rights to the role any more.
  onTestFinished(() => void psql(server, 'drop role if exists other_worker'))
  const made = await world(two)
  const env = { DRYDOCK_DATABASE_URL: made.database }
  psql(server, 'alter role keeper nocreaterole')
  onTestFinished(() => void psql(server, 'alter role keeper createrole'))
  const refused = await made.role('other_worker')
  expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('--sql | psql')])
  const printed = await made.role('other_worker', '--sql')
  const url = /^postgres:\S+$/m.exec(printed.stderr)?.[0] ?? ''
  expect(printed.stdout).not.toContain(new URL(url).password)
  expect(printed.stdout).toContain('SCRAM-SHA-256$')
  const none = await made.forHub({ ...env, DRYDOCK_DATABASE_URL: url })
  expect(none).toMatchObject({ database: { ok: false } })
  psql(server, 'create role lacking login')
  const lacking = await made.forHub({ DRYDOCK_DATABASE_URL: made.database.replace('keeper', 'lacking') })
  expect(lacking).toMatchObject({
    database: { ok: false, found: expect.stringContaining('lacks rights that a worker needs') },
  })
  expect(JSON.stringify(lacking)).toContain('drydock hub worker-role lacking')
  execFileSync('psql', ['-qX', '--single-transaction', '-v', 'ON_ERROR_STOP=1', superuser(made)], {
    input: printed.stdout,
  })
  expect(await made.forHub({ DRYDOCK_DATABASE_URL: url })).toMatchObject({ database: { ok: true } })
})
