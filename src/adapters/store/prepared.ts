import type { Compilable, CompiledQuery, Kysely, QueryResult } from 'kysely'
import type { Tables } from './tables.ts'

/** A placeholder in a query for a value that is given at each run. */
class Parameter {
  readonly name: PropertyKey

  constructor(name: PropertyKey) {
    this.name = name
  }
}

const parameters = new Proxy({}, { get: (_, name) => new Parameter(name) })

/**
 * A query that steps use often: it is built and compiled once per kind of database, and only its
 * values change. Building a query takes several times as long as SQLite needs to run it.
 */
export function prepared<Values extends object>() {
  return <Row>(build: (db: Kysely<Tables>, values: Values) => Compilable<Row>) => {
    const compiledFor = new Map<unknown, CompiledQuery<Row>>()
    return (db: Kysely<Tables>, values: Values): Promise<QueryResult<Row>> => {
      const kind = db.getExecutor().adapter.constructor
      const compiled = compiledFor.get(kind) ?? build(db, parameters as Values).compile()
      compiledFor.set(kind, compiled)
      const given = compiled.parameters.map((value) =>
        value instanceof Parameter ? values[value.name as keyof Values] : value,
      )
      return db.executeQuery({ ...compiled, parameters: given })
    }
  }
}
