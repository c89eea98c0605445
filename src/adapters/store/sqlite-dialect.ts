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

/** Every transaction takes the write lock at once: a plain BEGIN that writes later fails with SQLITE_BUSY in spite of the timeout. */
class ImmediateDriver extends SqliteDriver {
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'))
  }
}

/** `node:sqlite` as a Kysely dialect. The file is opened at once; a read-only one never creates it. */
export function createSqliteDialect(file: string, { readOnly }: { readOnly: boolean }): Dialect {
  const database = new DatabaseSync(file, { readOnly, timeout: 5_000 })
  if (!readOnly) {
    database.exec('pragma journal_mode = wal')
    database.exec('pragma synchronous = full')
  }
  const statements = new Map<string, ReturnType<typeof adapt>>()
  const prepare = (sql: string) => {
    const known = statements.get(sql) ?? adapt(database.prepare(sql))
    statements.set(sql, known)
    return known
  }
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new ImmediateDriver({ database: { prepare, close: () => database.close() } }),
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
