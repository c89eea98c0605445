import type { PostgresServer } from './server.ts'
import { psql } from './server.ts'

/** The settings of a server that counts its statements. */
export const counting = { shared_preload_libraries: 'pg_stat_statements' }

/** The number of statements during the work on such a server, in all of its databases. */
export async function statementsOf(server: PostgresServer, work: () => Promise<unknown>): Promise<number> {
  psql(server, 'create extension if not exists pg_stat_statements; select pg_stat_statements_reset()')
  await work()
  const own = "query not like '%pg_stat_statements%'"
  return Number(psql(server, `select coalesce(sum(calls), 0) from pg_stat_statements where ${own}`))
}
