import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { createSystemClock } from '../../src/adapters/clock/system-clock.ts'
import { createPostgresStore } from '../../src/adapters/store/postgres/postgres-store.ts'
import { limits } from '../../src/domain/limits.ts'
import { createCuttingProxy } from './cutting-proxy.ts'
import { createDatabase, psql, sharedServer } from './server.ts'

test('a commit whose answer is lost with the connection is neither lost nor done twice', async () => {
  const [server, database] = [await sharedServer(), await createDatabase()]
  onTestFinished(() => database.drop())
  const proxy = await createCuttingProxy(server.port)
  const place = {
    url: `postgres://app@127.0.0.1:${proxy.port}/${database.name}`,
    shown: 'the proxy',
    schema: 'drydock_cut',
  }
  const store = await createPostgresStore({ ...place, id: 'cut', clock: createSystemClock(), role: 'owner' })
  let tries = 0
  const write = () =>
    store.transact(async (tx) => {
      tries += 1
      await tx.appendEvent({ run: 'r', story: null, type: 'resumed', data: { lane: `${tries}` } })
      return tries
    })
  proxy.cutNextCommit = true
  expect([await write(), await write()]).toEqual([1, 2])
  expect(proxy.cutNextCommit).toBe(false)
  const events = await store.events({ after: 0, limit: 10 })
  expect(events.map(({ data }) => data)).toEqual([{ lane: '1' }, { lane: '2' }])
  await store.close()
  proxy.close()
})

/** What an administrator does to the session that waits for the row of another one. */
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
  // What the work itself throws is no loss, whatever its code.
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

test('a worker whose clock is an hour off goes by that of the server', async () => {
  const database = await createDatabase()
  onTestFinished(() => database.drop())
  const place = { url: database.url, shown: 'the server', schema: 'drydock_timed', id: 'timed' }
  const clock = createSystemClock()
  clock.agree?.(new Date(Date.now() + 3_600_000))
  const store = await createPostgresStore({ ...place, clock, role: 'worker' })
  await store.join({
    ...{ host: 'ahead', keepsState: false, signs: limits.workers },
    ...{ onSign: () => {}, onCommit: () => {} },
  })
  expect(Math.abs(clock.now().getTime() - Date.now())).toBeLessThan(60_000)
  await store.close()
})
