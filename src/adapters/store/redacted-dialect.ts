import type { CompiledQuery, DatabaseConnection, Dialect, Driver, QueryResult } from 'kysely'

/** Wraps a dialect so that every text passes through `redact` before it is written. */
export function redactedDialect(dialect: Dialect, redact: (text: string) => string): Dialect {
  return {
    createAdapter: () => dialect.createAdapter(),
    createDriver: () => redactedDriver(dialect.createDriver(), redact),
    createIntrospector: (db) => dialect.createIntrospector(db),
    createQueryCompiler: () => dialect.createQueryCompiler(),
  }
}

function redactedDriver(driver: Driver, redact: (text: string) => string): Driver {
  const inner = new WeakMap<DatabaseConnection, DatabaseConnection>()
  const of = (connection: DatabaseConnection) => inner.get(connection) ?? connection
  return {
    init: () => driver.init(),
    async acquireConnection() {
      const connection = await driver.acquireConnection()
      const redacted = redactedConnection(connection, redact)
      inner.set(redacted, connection)
      return redacted
    },
    beginTransaction: (connection, settings) => driver.beginTransaction(of(connection), settings),
    commitTransaction: (connection) => driver.commitTransaction(of(connection)),
    rollbackTransaction: (connection) => driver.rollbackTransaction(of(connection)),
    releaseConnection: (connection) => driver.releaseConnection(of(connection)),
    destroy: () => driver.destroy(),
  }
}

function redactedConnection(connection: DatabaseConnection, redact: (text: string) => string): DatabaseConnection {
  return {
    executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
      return connection.executeQuery<R>({ ...query, parameters: writtenValues(query, redact) })
    },
    // Only reads are streamed.
    streamQuery: (query, chunkSize) => connection.streamQuery(query, chunkSize),
  }
}

/**
 * The values of a query, redacted if they are written; values that only select rows are unchanged.
 */
export function writtenValues(
  { query, parameters }: Pick<CompiledQuery, 'query' | 'parameters'>,
  redact: (text: string) => string,
): readonly unknown[] {
  if (query.kind === 'SelectQueryNode') return parameters
  return parameters.map((value) => (typeof value === 'string' ? redact(value) : value))
}
