import { Kysely } from 'kysely'
import { Migrator } from 'kysely/migration'
import { DrydockError } from '../../domain/drydock-error.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Records, Store, Transaction } from '../../ports/store.ts'
import { migrations } from './migrations.ts'
import { createRecords } from './records.ts'
import { createSqliteDialect } from './sqlite-dialect.ts'
import type { Tables } from './tables.ts'
import { createTransaction } from './transaction.ts'

export interface SqliteStoreOptions {
  readonly file: string
  readonly clock: Clock
  /** Called inside each transaction right before its commit; tests end the process here. */
  readonly beforeCommit?: () => void
}

/** The embedded store: one SQLite file, WAL, every commit synced to disk. Reads have a connection of their own and never wait for a writer. */
export async function createSqliteStore({ file, clock, beforeCommit }: SqliteStoreOptions): Promise<Store> {
  const writer = new Kysely<Tables>({ dialect: createSqliteDialect(file, { readOnly: false }) })
  await migrate(writer, file)
  const reader = new Kysely<Tables>({ dialect: createSqliteDialect(file, { readOnly: true }) })
  return {
    ...createRecords(reader),
    async transact<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
      try {
        return await writer.transaction().execute(async (db) => {
          const result = await work(createTransaction(db, clock))
          beforeCommit?.()
          return result
        })
      } catch (error) {
        throw isDiskFull(error) ? diskFull(file, error) : error
      }
    },
    async close() {
      await reader.destroy()
      await writer.destroy()
    },
  }
}

/** The records of a state that another process may own; null when there is no state yet. */
export function openSqliteRecords(file: string): Records & { close(): Promise<void> } {
  const reader = new Kysely<Tables>({ dialect: createSqliteDialect(file, { readOnly: true }) })
  return { ...createRecords(reader), close: () => reader.destroy() }
}

async function migrate(db: Kysely<Tables>, file: string): Promise<void> {
  const provider = { getMigrations: async () => migrations }
  const { error } = await new Migrator({ db, provider }).migrateToLatest()
  if (!error) return
  if (isDiskFull(error)) throw diskFull(file, error)
  if (error instanceof Error && error.message.startsWith('corrupted migrations')) {
    throw new DrydockError('state_newer', `The state in ${file} was written by a newer Drydock.`, {
      todo: 'Use that version, or point DRYDOCK_HOME to another folder.',
      cause: error,
    })
  }
  throw error
}

function isDiskFull(error: unknown): boolean {
  return error instanceof Error && /database or disk is full|ENOSPC|disk I\/O error/.test(error.message)
}

function diskFull(file: string, cause: unknown): DrydockError {
  return new DrydockError('disk_full', `There is no space left for ${file}; nothing of this step was written.`, {
    todo: 'Free some space, then run: drydock resume',
    cause,
  })
}
