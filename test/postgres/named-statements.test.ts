import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { createSystemClock } from '../../src/adapters/clock/system-clock.ts'
import { createPostgresStore } from '../../src/adapters/store/postgres/postgres-store.ts'
import { createSession } from '../../src/adapters/store/postgres/session.ts'
import { limits } from '../../src/domain/limits.ts'
import { createDatabase } from './server.ts'

test.each(['owner', 'worker'] as const)('the statements of %s go on when a table gets a column', async (role) => {
  const { url, drop } = await createDatabase()
  const place = { url, schema: 'drydock', shown: 'test', id: 'test', clock: createSystemClock() }
  const store = await createPostgresStore({ ...place, role })
  const other = new pg.Client({ connectionString: url, options: '-c search_path=drydock' })
  await other.connect()
  onTestFinished(async () => {
    await Promise.all([store.close(), other.end()])
    drop()
  })
  const taker = { host: 'here', keepsState: false }
  if (role === 'worker') await store.join({ ...taker, signs: limits.workers, onSign: () => {}, onCommit: () => {} })
  const lane = { id: 'r/l', kind: 'lane', run: 'r', story: null, state: 'ASKING', data: {} } as const
  await store.transact(async (tx) => tx.queue(await tx.insertMachine(lane)))
  const all = async () => [
    await store.transact((tx) => tx.machine('r/l')),
    await store.machine('r/l'),
    await (role === 'worker' ? store.sharedJobs : store.jobs)(taker),
  ]
  const before = await all()
  await other.query('alter table machines add column later text; alter table jobs add column later text')
  expect(await all()).toEqual(before)
})

// The last one: it uses up the names of this process.
test('a connection plans a statement with values once, and no more of them than have names', async () => {
  const { url, drop } = await createDatabase()
  const session = createSession({ config: { connectionString: url }, onConnect: async () => {} })
  onTestFinished(async () => {
    await session.close()
    drop()
  })
  await session.connected()
  const texts = Array.from({ length: limits.database.namedStatements + 10 }, (_, i) => `select ${i} + $1::int`)
  await Promise.all([...texts, ...texts].map((text) => session.ask(text, [1])))
  const { rows } = await session.ask('select statement from pg_prepared_statements')
  const planned = rows.map((row) => (row as { statement: string }).statement)
  expect(planned.filter((text) => text === texts[0])).toHaveLength(1)
  expect(planned).not.toContain(texts.at(-1))
  expect(planned.length).toBeLessThanOrEqual(limits.database.namedStatements)
})
