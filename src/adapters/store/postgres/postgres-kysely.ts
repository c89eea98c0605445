import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely'
import { writtenValues } from '../redacted-dialect.ts'
import type { Tables } from '../tables.ts'

/** The result of a statement. */
export interface Answer {
  readonly rows: readonly unknown[]
  readonly rowCount: number | null
  /** The command tag, such as COMMIT. */
  readonly command?: string
}

export type Ask = (text: string, values: readonly unknown[]) => Promise<Answer>

/** Migrations take no lock here, since the state's own lock covers them. */
class LockedAdapter extends PostgresAdapter {
  override async acquireMigrationLock(): Promise<void> {}
  override async releaseMigrationLock(): Promise<void> {}
}

/** Answers of statements that have been sent: the server runs every later statement after them. */
const sent = new WeakSet<Promise<unknown>>()

/** True if all later statements follow the one with this answer. */
export function isSent(answer: Promise<unknown>): boolean {
  return sent.has(answer)
}

/**
 * Kysely on top of a function that queries the server. All written texts pass through `redact`.
 * `written` receives the number of changed rows of a statement. The caller begins and ends
 * transactions, not Kysely.
 */
export function createPostgresKysely(
  ask: Ask,
  redact: (text: string) => string,
  written: (rows: number) => void = () => {},
): Kysely<Tables> {
  function executeQuery<R>(compiled: CompiledQuery): Promise<QueryResult<R>> {
    const asked = ask(compiled.sql, writtenValues(compiled, redact).map(storable))
    const answer = asked.then(({ rows, rowCount }) => {
      if (compiled.query.kind !== 'SelectQueryNode') written(rowCount ?? 0)
      return { rows: rows as R[], numAffectedRows: BigInt(rowCount ?? 0) }
    })
    sent.add(answer)
    return answer
  }
  const connection: DatabaseConnection = {
    executeQuery,
    streamQuery: () => {
      throw new Error('nothing is streamed from PostgreSQL')
    },
  }
  const nothing = async () => {}
  const dialect: Dialect = {
    createAdapter: () => new LockedAdapter(),
    createDriver: () => ({
      init: nothing,
      acquireConnection: async () => connection,
      releaseConnection: nothing,
      destroy: nothing,
      beginTransaction: nothing,
      commitTransaction: nothing,
      rollbackTransaction: nothing,
    }),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  }
  return new (class extends Kysely<Tables> {
    override executeQuery<R>(compiled: CompiledQuery<R>): Promise<QueryResult<R>> {
      return executeQuery(compiled)
    }
  })({ dialect })
}

/** PostgreSQL cannot store a NUL in a text, so its visible symbol replaces it. */
function storable(value: unknown): unknown {
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\u2400') : value
}
