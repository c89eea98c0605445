import { DatabaseSync, type StatementSync } from 'node:sqlite'
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  SqliteAdapter,
  SqliteDriver,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import { whenUnlocked } from './sqlite-error.ts'

/**
 * SQLite can roll back `create table`, although Kysely assumes otherwise: several processes may
 * migrate at the same time, and one may die halfway.
 */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true
  }
}

class ImmediateDriver extends SqliteDriver {
  readonly #database: DatabaseSync

  constructor(database: DatabaseSync, prepare: (sql: string) => ReturnType<typeof adapt>) {
    super({ database: { prepare, close: () => database.close() } })
    this.#database = database
  }

  /**
   * Takes the write lock at once, since a plain BEGIN that writes later fails with SQLITE_BUSY
   * whatever the timeout.
   */
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await whenUnlocked(() => connection.executeQuery(CompiledQuery.raw('begin immediate')))
  }

  /**
   * SQLite may have rolled back by itself, for example on a full disk; a second error would hide
   * the cause.
   */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#database.isTransaction) await super.rollbackTransaction(connection)
  }
}

/**
 * Opens or creates a file for writing. Waiting for another process's lock does not block the event
 * loop.
 */
export async function openForWriting(file: string): Promise<DatabaseSync> {
  const database = new DatabaseSync(file, { timeout: 0 })
  try {
    await whenUnlocked(async () => database.exec('pragma journal_mode = wal'))
    database.exec('pragma synchronous = full')
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/**
 * Opens an existing file for reading. A read waits only while another process recovers from a
 * crash.
 */
export function openForReading(file: string): DatabaseSync {
  return new DatabaseSync(file, { readOnly: true, timeout: 5_000 })
}

type Statement = ReturnType<typeof adapt>

/** Prepares each statement of a database once. */
export function createStatements(database: DatabaseSync): (sql: string) => Statement {
  const statements = new Map<string, Statement>()
  return (sql) => {
    const known = statements.get(sql) ?? adapt(database.prepare(sql))
    statements.set(sql, known)
    return known
  }
}

/** `node:sqlite` as a Kysely dialect. */
export function createSqliteDialect(database: DatabaseSync, prepare = createStatements(database)): Dialect {
  return {
    createAdapter: () => new TransactionalAdapter(),
    createDriver: () => new ImmediateDriver(database, prepare),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  }
}

type Parameters = readonly (null | number | bigint | string | Uint8Array)[]

function adapt(statement: StatementSync) {
  return {
    reader: statement.columns().length > 0,
    all: (parameters: readonly unknown[]) => statement.all(...(parameters as Parameters)),
    run: (parameters: readonly unknown[]) => statement.run(...(parameters as Parameters)),
    iterate: (parameters: readonly unknown[]) => statement.iterate(...(parameters as Parameters)),
  }
}
