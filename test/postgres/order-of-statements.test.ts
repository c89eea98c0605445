import { setImmediate as nextRound } from 'node:timers/promises'
import { Kysely } from 'kysely'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { createSystemClock } from '../../src/adapters/clock/system-clock.ts'
import { createPostgresStore } from '../../src/adapters/store/postgres/postgres-store.ts'
import { createDatabase } from './server.ts'

/** A separate state, and another client of the same server. */
async function world(role: 'owner' | 'worker') {
  const { url, drop } = await createDatabase()
  const place = { url, schema: 'drydock', shown: 'test', id: 'test', clock: createSystemClock() }
  const store = await createPostgresStore({ ...place, role })
  const other = new pg.Client({ connectionString: url, options: '-c search_path=drydock' })
  await other.connect()
  onTestFinished(async () => {
    await Promise.all([store.close(), other.end()])
    drop()
  })
  return { store, other }
}

/** A Kysely that delays statements, as another version might. */
function slowKysely() {
  const { getExecutor } = Kysely.prototype
  const slow = new WeakSet()
  Kysely.prototype.getExecutor = function (this: Kysely<unknown>) {
    if (!slow.has(this)) {
      slow.add(this)
      const executeQuery = this.executeQuery.bind(this)
      this.executeQuery = async (query) => {
        await nextRound()
        return executeQuery(query)
      }
    }
    return getExecutor.call(this)
  }
  onTestFinished(() => {
    Kysely.prototype.getExecutor = getExecutor
  })
}

const machine = { id: 'r/l', kind: 'lane', run: 'r', story: null, state: 'ASKING', data: {} } as const
const event = { run: 'r', story: null, type: 'resumed', data: { lane: 'a' } } as const

test.each(['at once', 'late'])(
  'rows that are written %s belong to the transaction in which they were written',
  async (when) => {
    if (when === 'late') slowKysely()
    const { store, other } = await world('owner')
    await store.transact(async (tx) => {
      await tx.queue(await tx.insertMachine(machine))
      await tx.appendEvent(event)
    })
    const { rows } = await other.query(`select array_agg(distinct xid) as transactions, count(*)::int as rows from
    (select xmin::text as xid from machines union all select xmin::text from jobs union all select xmin::text from events) as all_rows`)
    expect(rows).toEqual([{ transactions: [expect.any(String)], rows: 3 }])
  },
)

test('a transaction that only writes waits for no answer of the server', async () => {
  const { store } = await world('owner')
  let hasWaited = true
  await store.transact(async (tx) => {
    hasWaited = false
    const round = nextRound().then(() => (hasWaited = true))
    await tx.appendEvent(event)
    expect(hasWaited).toBe(false)
    await round
  })
  expect(await store.events({ after: 0, limit: 10 })).toMatchObject([event])
})

test('a process that waits for the row of a lease still sends heartbeats', async () => {
  const { store, other } = await world('worker')
  const taker = { host: 'here', keepsState: false }
  let signs = 0
  let heardTwice = Promise.withResolvers<void>()
  await store.join({
    ...taker,
    signs: { beatMs: 50, silentMs: 600_000, hostMs: 600_000, lostMs: 0 },
    onCommit: () => {},
    onSign(sign) {
      signs += sign === 'alive' ? 1 : 0
      if (signs >= 2) heardTwice.resolve()
    },
  })
  await store.transact(async (tx) => {
    const data = { name: 'coder', host: 'here' }
    await tx.insertMachine({ id: 'slot/coder', kind: 'slot', run: '', story: null, state: 'OFFERED', data })
    await tx.insertMachine({
      id: 'r/s',
      kind: 'story',
      run: 'r',
      story: 's',
      state: 'CODING',
      data: { slot: 'coder' },
    })
    await tx.queue(await tx.insertMachine({ ...machine, story: 's' }))
  })
  const jobs = await store.sharedJobs(taker)
  expect(await store.claim({ ...taker, underWay: [], jobs })).toHaveLength(1)
  await other.query('begin; select from leases for update')
  const released = store.release([])
  signs = 0
  heardTwice = Promise.withResolvers()
  await heardTwice.promise
  await other.query('rollback')
  await released
  expect((await store.sharedJobs(taker)).map(({ begunBy }) => begunBy)).toEqual([null])
})
