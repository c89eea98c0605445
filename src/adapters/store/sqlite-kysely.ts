import type { DatabaseSync } from 'node:sqlite'
import { type CompiledQuery, Kysely, type QueryResult } from 'kysely'
import { redactedDialect, writtenValues } from './redacted-dialect.ts'
import { createSqliteDialect, createStatements } from './sqlite-dialect.ts'
import type { Tables } from './tables.ts'

/**
 * Kysely on one connection to SQLite. A compiled query goes directly to its statement, since
 * Kysely's driver takes longer than SQLite itself. On both paths every written text passes through
 * `redact`.
 */
export function createSqliteKysely(database: DatabaseSync, redact: (text: string) => string): Kysely<Tables> {
  const prepare = createStatements(database)
  const dialect = redactedDialect(createSqliteDialect(database, prepare), redact)
  return new (class extends Kysely<Tables> {
    override async executeQuery<R>(compiled: CompiledQuery<R>): Promise<QueryResult<R>> {
      const statement = prepare(compiled.sql)
      const values = writtenValues(compiled, redact)
      if (statement.reader) return { rows: statement.all(values) as R[] }
      const { changes } = statement.run(values)
      return { rows: [], numAffectedRows: BigInt(changes) }
    }
  })({ dialect })
}
