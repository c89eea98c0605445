import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { createSystemClock } from '../../src/adapters/clock/system-clock.ts'
import { createPostgresStore } from '../../src/adapters/store/postgres/postgres-store.ts'
import { makeWorkerRole } from '../../src/adapters/store/postgres/worker-role.ts'
import { createDatabase } from './server.ts'

const lane = { id: 'lane', kind: 'lane', run: 'run', story: null, data: {}, state: 'ASKING' } as const

test('the role of workers can do a step, reads no table that nobody has thought of, and cannot make a token', async () => {
  const database = await createDatabase()
  const [schema, role] = [`drydock_${database.name}`, `w_${database.name}`]
  const place = { schema, shown: 'the server', id: 'id', clock: createSystemClock() }
  const hub = await createPostgresStore({ ...place, url: database.url, role: 'worker' })
  const client = new pg.Client({ connectionString: database.url, options: `-c search_path=${schema}` })
  await client.connect()
  onTestFinished(async () => {
    await client.query(`drop owned by ${role}; drop role ${role}`)
    await Promise.all([client.end(), hub.close()])
    database.drop()
  })
  const wanted = { name: role, newPassword: false, asSql: false }
  const made = await makeWorkerRole({ ...place, url: database.url }, wanted)
  expect([made.isNew, new URL(made.url ?? '').username]).toEqual([true, role])
  expect(await makeWorkerRole({ ...place, url: database.url }, wanted)).toEqual({ isNew: false, url: null, sql: null })

  const store = await createPostgresStore({ ...place, url: made.url ?? '', role: 'worker', isGuest: true })
  await store.transact(async (tx) => {
    await tx.queue(await tx.insertMachine(lane))
    await tx.appendEvent({ run: 'run', story: null, type: 'run', data: { kind: 'task', title: 'It' } })
  })
  expect(await store.machineOf('lane', 'lane')).toMatchObject({ state: 'ASKING' })
  await store.close()

  const { rows } = await client.query(
    `select relname from pg_class where relnamespace = $1::regnamespace and relkind = 'r'
      and not has_table_privilege($2, oid, 'select') order by 1`,
    [schema, role],
  )
  expect(rows.map(({ relname }) => relname)).toEqual([
    'commands',
    'forge_calls',
    'hub_sessions',
    'hub_tokens',
    'kysely_migration_lock',
  ])
  await client.query(`set role ${role}`)
  for (const attack of [
    `insert into hub_tokens (name, role, hash, created_at) values ('m', 'admin', '00', '')`,
    `insert into machines (id, kind, run, state, version, data, created_at, updated_at) values ('m', 'landing', 'm', 'X', 1, '{}', '', '')`,
    `insert into events (run, type, data, at, actor) values ('run', 'run', '{}', '', 'ada')`,
    'update events set data = $$$$',
    'drop table events',
  ])
    await expect(client.query(attack)).rejects.toMatchObject({ code: '42501' })
  await client.query('reset role')
})
