import { existsSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import type { Kysely } from 'kysely'
import { DrydockError } from '../../domain/drydock-error.ts'
import type { Clock } from '../../ports/clock.ts'
import type { JobStore, JobTransaction } from '../../ports/jobs.ts'
import type { Records, StateReader } from '../../ports/store.ts'
import { emptyRecords } from './empty-records.ts'
import { readJobs, readJobsFor } from './job-rows.ts'
import { knownMachines } from './known-machines.ts'
import { migrations, versionOf } from './migrations.ts'
import { createRecords } from './records.ts'
import { openForReading, openForWriting } from './sqlite-dialect.ts'
import { explained, whenUnlocked } from './sqlite-error.ts'
import { createSqliteKysely } from './sqlite-kysely.ts'
import type { Tables } from './tables.ts'
import { totalsBeforeBudgets } from './totals-before-budgets.ts'
import { createTransaction } from './transaction.ts'

/** A store uses one connection for writes, and one that reads committed rows. */
export interface SqliteConnections {
  forWriting(): Promise<DatabaseSync>
  forReading(): DatabaseSync
}

export interface SqliteStoreOptions {
  readonly file: string
  /** Used for rows outside the file, such as those of a state in memory. */
  readonly connections?: SqliteConnections
  readonly clock: Clock
  /** Redacts secrets from every text before it is written. */
  readonly redact?: (text: string) => string
  /**
   * Called in each transaction right before its commit, with the transaction's view of the records;
   * tests end the process here.
   */
  readonly beforeCommit?: (records: Records) => void | Promise<void>
}

/**
 * The embedded store: one SQLite file in WAL mode, with every commit synced to disk. Reads have
 * their own connection and never wait for a writer. Throws DrydockError `state_newer` or
 * `disk_full`.
 */
export async function createSqliteStore({
  file,
  connections = connectionsTo(file),
  clock,
  redact = (text) => text,
  beforeCommit,
}: SqliteStoreOptions): Promise<JobStore> {
  const opened = await open({ file, connections, redact }).catch((error: unknown) => {
    throw explained(error, file)
  })
  const { writing, writer, reader } = opened
  const total = writing.prepare('select total_changes() as rows')
  const rowsChanged = () => Number(total.get()?.rows)
  const transaction = createTransaction(writer, clock)
  /** The writers of this process take turns; SQLite's lock excludes those of other processes. */
  let last: Promise<unknown> = Promise.resolve()

  async function write<T>(work: (tx: JobTransaction) => Promise<T>): Promise<T> {
    try {
      // Takes the write lock at once, since a plain BEGIN that writes later fails with SQLITE_BUSY
      // whatever the timeout.
      await whenUnlocked(async () => writing.exec('begin immediate'))
      const before = rowsChanged()
      const tx = { ...transaction, hasWritten: () => rowsChanged() !== before }
      const result = await work(tx)
      if (tx.hasWritten()) await beforeCommit?.(tx)
      writing.exec('commit')
      return result
    } catch (error) {
      // SQLite may have rolled back by itself, for example on a full disk; a second error would
      // hide the cause.
      if (writing.isTransaction) writing.exec('rollback')
      throw explained(error, file)
    }
  }

  const records = createRecords(reader)
  return {
    ...records,
    ...knownMachines(opened.reading, records),
    jobs: (taker) => (taker === undefined ? readJobs(reader) : readJobsFor(reader, taker)),
    transact<T>(work: (tx: JobTransaction) => Promise<T>): Promise<T> {
      const written = last.then(() => write(work))
      last = written.catch(() => undefined)
      return written
    },
    async close() {
      // The writer is closed last, since that merges the write-ahead log.
      for (const database of [opened.reading, writing]) if (database.isOpen) database.close()
    },
  }
}

/**
 * The records of a state that another process may own; empty if nothing was ever stored. Throws
 * DrydockError `state_newer`.
 */
export function openSqliteRecords(file: string): StateReader {
  if (!existsSync(file)) return emptyRecords
  const { database, applied } = openExplained(file)
  if (applied === null || applied.some((name) => !(name in migrations))) {
    const needed = neededVersion(database)
    database.close()
    if (applied === null) return emptyRecords
    throw newer(file, needed)
  }
  const records = createRecords(createSqliteKysely(database, String))
  // A reader cannot migrate. Until a writer does, a state of an older Drydock has no chat, and its
  // calls have no cost.
  const has = (migration: keyof typeof migrations) => appliedMigrations(database)?.includes(migration) ?? false
  const since = (migration: keyof typeof migrations) => (has(migration) ? records : emptyRecords)
  return {
    ...records,
    chat: (filter) => since('002_crew').chat(filter),
    chatMessage: (id) => since('002_crew').chatMessage(id),
    totals: async (...of) => (has('003_budget') ? records.totals(...of) : totalsBeforeBudgets(database, ...of)),
    spent: (...of) => since('003_budget').spent(...of),
    spendingOver: (...of) => since('003_budget').spendingOver(...of),
    spending: (run) => since('003_budget').spending(run),
    workload: () => since('003_budget').workload(),
    forgeCalls: (run) => since('005_forge_calls').forgeCalls(run),
    forgeCallsNamed: (...of) => since('005_forge_calls').forgeCallsNamed(...of),
    hubTokens: () => since('007_hub_people').hubTokens(),
    hubToken: (hash) => since('007_hub_people').hubToken(hash),
    hubSession: (hash) => since('007_hub_people').hubSession(hash),
    async close() {
      database.close()
    },
  }
}

function openExplained(file: string) {
  try {
    const database = openForReading(file)
    return { database, applied: appliedMigrations(database) }
  } catch (error) {
    throw explained(error, file)
  }
}

function connectionsTo(file: string): SqliteConnections {
  return { forWriting: () => openForWriting(file), forReading: () => openForReading(file) }
}

async function open({
  file,
  connections,
  redact,
}: Required<Pick<SqliteStoreOptions, 'file' | 'connections' | 'redact'>>) {
  const writing = await connections.forWriting()
  try {
    const writer = createSqliteKysely(writing, redact)
    if (!isCurrent(writing)) {
      await migrate(writer).catch((error: unknown) => {
        throw isNewer(error) ? newer(file, neededVersion(writing), error) : error
      })
    }
    const reading = connections.forReading()
    return { writing, writer, reading, reader: createSqliteKysely(reading, String) }
  } catch (error) {
    writing.close()
    throw error
  }
}

/** True if exactly the known migrations have been applied. */
function isCurrent(database: DatabaseSync): boolean {
  return appliedMigrations(database)?.toSorted().join() === Object.keys(migrations).join()
}

/** Migrates atomically, and in one process at a time. */
async function migrate(writer: Kysely<Tables>): Promise<void> {
  const { Migrator } = await import('kysely/migration')
  const provider = { getMigrations: async () => migrations }
  await writer.transaction().execute(async (db) => {
    const { error } = await new Migrator({ db, provider }).migrateToLatest()
    if (error) throw error
    const values = Object.entries(versionOf).map(([migration, drydock]) => ({ migration, drydock }))
    await db
      .insertInto('schema_versions')
      .values(values)
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  })
}

/** Null before the first migration, when another process has just created the file. */
function appliedMigrations(database: DatabaseSync): readonly string[] | null {
  const table = database.prepare(`select 1 from sqlite_master where name = 'kysely_migration'`).get()
  if (table === undefined) return null
  return database
    .prepare('select name from kysely_migration')
    .all()
    .map((row) => String(row.name))
}

function isNewer(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('corrupted migrations')
}

/** The version of Drydock that the newest migration needs; null if the state does not say. */
function neededVersion(database: DatabaseSync): string | null {
  const table = database.prepare(`select 1 from sqlite_master where name = 'schema_versions'`).get()
  if (table === undefined) return null
  const row = database.prepare('select drydock from schema_versions order by migration desc limit 1').get()
  return row === undefined ? null : String(row.drydock)
}

function newer(file: string, needed: string | null, cause?: unknown): DrydockError {
  const which = needed === null ? '' : `: it takes Drydock ${needed}`
  return new DrydockError('state_newer', `The state in ${file} was written by a newer Drydock${which}.`, {
    todo: `Use ${needed === null ? 'that version' : `${needed} or newer`}, or set DRYDOCK_HOME to another folder.`,
    cause,
  })
}
