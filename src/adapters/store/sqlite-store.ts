import type { DatabaseSync } from 'node:sqlite'
import { Kysely } from 'kysely'
import { Migrator } from 'kysely/migration'
import { DrydockError } from '../../domain/drydock-error.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Records, Store, Totals, Transaction } from '../../ports/store.ts'
import { migrations, versionOf } from './migrations.ts'
import { createRecords } from './records.ts'
import { createSqliteDialect, openForReading, openForWriting } from './sqlite-dialect.ts'
import { explained } from './sqlite-error.ts'
import type { Tables } from './tables.ts'
import { createTransaction } from './transaction.ts'

export interface SqliteStoreOptions {
  readonly file: string
  readonly clock: Clock
  /** Takes secrets out of every text before it is written. */
  readonly redact?: (text: string) => string
  /** Called inside each transaction right before its commit; tests end the process here. */
  readonly beforeCommit?: () => void
}

/**
 * The embedded store: one SQLite file, WAL, every commit synced to disk. Reads have a connection of
 * their own and never wait for a writer. DrydockError `state_newer`, `disk_full`.
 */
export async function createSqliteStore({
  file,
  clock,
  redact = (text) => text,
  beforeCommit,
}: SqliteStoreOptions): Promise<Store> {
  const opened = await open(file, redact).catch((error: unknown) => {
    throw explained(error, file)
  })
  const { writer, reader } = opened
  const total = opened.writing.prepare('select total_changes() as rows')
  const rowsChanged = () => Number(total.get()?.rows)
  return {
    ...createRecords(reader),
    async transact<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
      try {
        return await writer.transaction().execute(async (db) => {
          const before = rowsChanged()
          const hasWritten = () => rowsChanged() !== before
          const result = await work({ ...createTransaction(db, clock), hasWritten })
          if (hasWritten()) beforeCommit?.()
          return result
        })
      } catch (error) {
        throw explained(error, file)
      }
    },
    async close() {
      // The writer last: it takes the log of what was written with it.
      for (const database of [opened.reading, opened.writing]) if (database.isOpen) database.close()
    },
  }
}

/**
 * The records of a state that another process may own; null when nothing was ever written to it.
 * DrydockError `state_newer`.
 */
export function openSqliteRecords(file: string): (Records & { close(): Promise<void> }) | null {
  const { database, applied } = openExplained(file)
  if (applied === null || applied.some((name) => !(name in migrations))) {
    const needed = neededVersion(database)
    database.close()
    if (applied === null) return null
    throw newer(file, needed)
  }
  const records = createRecords(kyselyOf(database))
  // Who only reads cannot migrate; until a writer does, a state of an older Drydock has no chat,
  // and its calls are not counted.
  const has = (migration: keyof typeof migrations) => appliedMigrations(database)?.includes(migration) ?? false
  return {
    ...records,
    chat: async (filter) => (has('002_crew') ? records.chat(filter) : []),
    chatMessage: async (id) => (has('002_crew') ? records.chatMessage(id) : null),
    totals: async (...of) => (has('003_budget') ? records.totals(...of) : nothing),
    spent: async (...of) => (has('003_budget') ? records.spent(...of) : { ...free, reserved: free, underWay: 0 }),
    spendingOver: async (run, during) =>
      has('003_budget') ? records.spendingOver(run, during) : { ends: [], used: [] },
    spending: async (run) => (has('003_budget') ? records.spending(run) : []),
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

const free = { microUsd: 0, tokens: 0 }
const nothing: Totals = { calls: 0, tokens: 0, toolCalls: 0, costMicroUsd: 0, unpriced: 0 }

async function open(file: string, redact: (text: string) => string) {
  const writing = await openForWriting(file)
  try {
    const writer = kyselyOf(writing, redact)
    await migrate(writer).catch((error: unknown) => {
      throw isNewer(error) ? newer(file, neededVersion(writing), error) : error
    })
    const reading = openForReading(file)
    return { writing, writer, reading, reader: kyselyOf(reading) }
  } catch (error) {
    writing.close()
    throw error
  }
}

function kyselyOf(database: DatabaseSync, redact = (text: string) => text): Kysely<Tables> {
  return new Kysely<Tables>({ dialect: createSqliteDialect(database, redact) })
}

/** All or nothing, and one process after another. */
async function migrate(writer: Kysely<Tables>): Promise<void> {
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

/** null before the first migration, when another process has only just made the file. */
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

/** The Drydock that the newest migration came with; null in a state that does not say so. */
function neededVersion(database: DatabaseSync): string | null {
  const table = database.prepare(`select 1 from sqlite_master where name = 'schema_versions'`).get()
  if (table === undefined) return null
  const row = database.prepare('select drydock from schema_versions order by migration desc limit 1').get()
  return row === undefined ? null : String(row.drydock)
}

function newer(file: string, needed: string | null, cause?: unknown): DrydockError {
  const which = needed === null ? '' : `: it takes Drydock ${needed}`
  return new DrydockError('state_newer', `The state in ${file} was written by a newer Drydock${which}.`, {
    todo: `Use ${needed === null ? 'that version' : `${needed} or newer`}, or point DRYDOCK_HOME to another folder.`,
    cause,
  })
}
