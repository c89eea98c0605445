import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { copiedTables } from '../../src/adapters/store/copied-tables.ts'
import { createFixture, type Fixture, greenLanes, resultOf, runHere } from '../scenarios/world/fixture.ts'
import { launch } from '../scenarios/world/process.ts'
import { createDatabase } from './server.ts'

let fixture: Fixture
let database: Awaited<ReturnType<typeof createDatabase>>
beforeEach(async () => {
  database = await createDatabase()
  fixture = await createFixture()
})
afterEach(async () => {
  await fixture.remove()
  database.drop()
})

/** Runs on the same repository and state, with a server. */
const on = (url: string, ...args: string[]) =>
  runHere([...args, '--repo', fixture.repo], { ...fixture.env, DRYDOCK_DATABASE_URL: url })

/** A finished task in a file. */
async function built(): Promise<void> {
  const done = await fixture.drydock('task', 'say new', '--json', '--model', await fixture.replay(greenLanes))
  expect(resultOf(done), done.stderr).toMatchObject({ status: 'DONE' })
}

const tables = Object.keys(copiedTables)

/** Every row of the file, table by table. */
async function rowsOfFile(): Promise<Readonly<Record<string, readonly object[]>>> {
  const file = new DatabaseSync(join((await fixture.open()).state, 'drydock.db'), { readOnly: true })
  const rows = tables.map((table) => [table, file.prepare(`select * from ${table} order by 1`).all()] as const)
  file.close()
  return Object.fromEntries(rows.map(([table, each]) => [table, each.map((row) => ({ ...row }))]))
}

/** Locks a table of the state until it is released. */
async function lockTable(table: string) {
  const client = new pg.Client(database.url)
  await client.connect()
  const { rows } = await client.query(`select nspname from pg_namespace where nspname like 'drydock%'`)
  await client.query(`begin; lock table ${rows[0].nspname}.${table} in access exclusive mode`)
  return {
    /** Resolves when another session waits for the table. */
    async wanted() {
      const waiting = `select count(*)::int as n from pg_locks where not granted and database =
        (select oid from pg_database where datname = current_database())`
      await expect.poll(async () => (await client.query(waiting)).rows[0].n).toBe(1)
    },
    letGo: () => client.end(),
  }
}

test('a state that was copied there and back has the same rows, also when a copy is killed on either way', async () => {
  await built()
  const before = await rowsOfFile()
  expect(before.events?.length).toBeGreaterThan(10)
  const there = await fixture.drydock('state', 'copy', '--to', database.url)
  expect(there.exitCode, there.stderr).toBe(0)

  const env = { ...fixture.env, DRYDOCK_DATABASE_URL: database.url }
  const killed = async (to: string, table: string) => {
    const lock = await lockTable(table)
    const copy = launch(['state', 'copy', '--to', to, '--repo', fixture.repo], { env })
    await lock.wanted()
    copy.child.kill('SIGKILL')
    expect((await copy.ended).signal).toBe('SIGKILL')
    await lock.letGo()
  }
  // Some tables have been read by then.
  await killed('sqlite', 'events')
  expect((await on(database.url, 'status')).stdout).toContain('drydock/say-new')
  const back = await on(database.url, 'state', 'copy', '--to', 'sqlite')
  expect(back.exitCode, back.stderr).toBe(0)
  expect(await rowsOfFile()).toEqual(before)

  await killed('postgres', 'machines')
  expect((await fixture.drydock('status')).stdout).toContain('drydock/say-new')
  for (const to of ['postgres', 'sqlite']) {
    const copied = await on(database.url, 'state', 'copy', '--to', to)
    expect(copied.exitCode, copied.stderr).toBe(0)
  }
  expect(await rowsOfFile()).toEqual(before)
})

test('a server that has nothing of the state is refused, and nothing is made there', async () => {
  const other = await createDatabase()
  onTestFinished(other.drop)
  const model = await fixture.replay(greenLanes)
  const done = await on(database.url, 'task', 'say new', '--json', '--model', model)
  expect(resultOf(done), done.stderr).toMatchObject({ status: 'DONE' })
  const elsewhere = expect.stringContaining(`is on PostgreSQL at ${new URL(database.url).host}/${database.name}, and`)
  for (const args of [['status'], ['task', 'say it again', '--model', model], ['state', 'copy', '--to', 'sqlite']]) {
    const refused = await on(other.url, ...args)
    expect([refused.exitCode, refused.stderr], args[0]).toEqual([2, elsewhere])
  }
  expect((await on(other.url, 'doctor')).stdout).toContain('has no schema')
  const client = new pg.Client(other.url)
  await client.connect()
  const { rows } = await client.query(`select nspname from pg_namespace where nspname like 'drydock%'`)
  await client.end()
  expect(rows).toEqual([])
  expect((await on(database.url, 'status')).stdout).toContain('drydock/say-new')
})

test('two processes that make the state on a server at once make one', async () => {
  const env = { ...fixture.env, DRYDOCK_DATABASE_URL: database.url }
  const { openDrydock } = await import('../../src/compose.ts')
  const both = await Promise.all([1, 2].map(() => openDrydock({ directory: fixture.repo, env })))
  await Promise.all(both.map((drydock) => drydock.ensureState()))
  const status = await on(database.url, 'status')
  expect([status.exitCode, status.stderr]).toEqual([0, expect.not.stringContaining('another folder')])
})
