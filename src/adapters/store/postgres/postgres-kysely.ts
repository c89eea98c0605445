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

/** What a statement gave back. */
export interface Answer {
  readonly rows: readonly unknown[]
  readonly rowCount: number | null
  /** The tag of the command, such as COMMIT. */
  readonly command?: string
}

export type Ask = (text: string, values: readonly unknown[]) => Promise<Answer>

/** The state has a lock of its own, under which it is migrated. */
class LockedAdapter extends PostgresAdapter {
  override async acquireMigrationLock(): Promise<void> {}
  override async releaseMigrationLock(): Promise<void> {}
}

/** The answers of statements that are with the server, or before all that is asked from now on. */
const sent = new WeakSet<Promise<unknown>>()

/** Whether nothing that is asked from now on comes before the statement with this answer. */
export function isSent(answer: Promise<unknown>): boolean {
  return sent.has(answer)
}

/**
 * Kysely over whatever asks the server. Every text that is written goes through `redact`. `written`
 * is told how many rows a statement has changed. Transactions are not Kysely's here: whoever asks
 * begins and ends them.
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
      ...{ init: nothing, acquireConnection: async () => connection, releaseConnection: nothing, destroy: nothing },
      ...{ beginTransaction: nothing, commitTransaction: nothing, rollbackTransaction: nothing },
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

/** PostgreSQL keeps no null character in a text; its picture stands in for it. */
function storable(value: unknown): unknown {
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\u2400') : value
}
