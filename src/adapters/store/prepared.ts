import type { Compilable, CompiledQuery, Kysely, QueryResult } from 'kysely'
import type { Tables } from './tables.ts'

/** Stands in a query for a value that is given each time the query runs. */
class Parameter {
  readonly name: PropertyKey

  constructor(name: PropertyKey) {
    this.name = name
  }
}

const parameters = new Proxy({}, { get: (_, name) => new Parameter(name) })

/**
 * A query of a step's path: it is built and compiled once for a kind of database, and then only its
 * values change. Building a query costs several times what SQLite takes to run it.
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
