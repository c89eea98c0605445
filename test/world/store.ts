import { AsyncLocalStorage } from 'node:async_hooks'
import { DatabaseSync } from 'node:sqlite'
import { Migrator } from 'kysely/migration'
import { readJobs, readJobsFor } from '../../src/adapters/store/job-rows.ts'
import { migrations } from '../../src/adapters/store/migrations.ts'
import { createRecords } from '../../src/adapters/store/records.ts'
import { createSqliteKysely } from '../../src/adapters/store/sqlite-kysely.ts'
import { createTransaction } from '../../src/adapters/store/transaction.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { JobStore, JobTransaction } from '../../src/ports/jobs.ts'
import type { Records } from '../../src/ports/store.ts'

let schema: Promise<readonly string[]> | undefined

/** The statements that make an empty state, found by migrating once in a process. */
async function schemaOf(): Promise<readonly string[]> {
  const database = new DatabaseSync(':memory:')
  const db = createSqliteKysely(database, String)
  const provider = { getMigrations: async () => migrations }
  const { error } = await new Migrator({ db, provider }).migrateToLatest()
  if (error) throw error
  const made = database
    .prepare(`select sql from sqlite_master where sql is not null and name not like 'sqlite_%' order by rowid`)
    .all()
  database.close()
  return made.map((row) => String(row.sql))
}

/** SQLite in memory. Who reads while a transaction is open waits for its end, unless inside of it. */
export async function createMemoryStore({
  clock,
  redact = String,
  beforeCommit,
}: {
  readonly clock: Clock
  readonly redact?: (text: string) => string
  readonly beforeCommit?: (records: Records) => void | Promise<void>
}): Promise<JobStore> {
  schema ??= schemaOf()
  const database = new DatabaseSync(':memory:')
  for (const sql of await schema) database.exec(sql)
  const writer = createSqliteKysely(database, redact)
  const transaction = createTransaction(writer, clock)
  const total = database.prepare('select total_changes() as rows')
  const rowsChanged = () => Number(total.get()?.rows)
  const isInside = new AsyncLocalStorage<true>()
  let last: Promise<unknown> = Promise.resolve()
  async function write<T>(work: (tx: JobTransaction) => Promise<T>): Promise<T> {
    database.exec('begin immediate')
    try {
      const before = rowsChanged()
      const tx = { ...transaction, hasWritten: () => rowsChanged() !== before }
      const result = await isInside.run(true, () => work(tx))
      if (tx.hasWritten()) await beforeCommit?.(tx)
      database.exec('commit')
      return result
    } catch (error) {
      if (database.isTransaction) database.exec('rollback')
      throw error
    }
  }
  const settled = async () => {
    while (database.isTransaction && isInside.getStore() === undefined) await last
  }
  const records = createRecords(createSqliteKysely(database, String))
  const patient = Object.fromEntries(
    Object.entries(records).map(([name, read]) => [
      name,
      typeof read === 'function'
        ? async (...args: unknown[]) => (await settled(), (read as (...given: unknown[]) => unknown)(...args))
        : read,
    ]),
  ) as typeof records
  return {
    ...patient,
    async jobs(taker) {
      await settled()
      return taker === undefined ? readJobs(writer) : readJobsFor(writer, taker)
    },
    transact<T>(work: (tx: JobTransaction) => Promise<T>): Promise<T> {
      const written = last.then(() => write(work))
      last = written.catch(() => undefined)
      return written
    },
    async close() {
      await last
      if (database.isOpen) database.close()
    },
  }
}
