import { type Kysely, sql } from 'kysely'
import { DrydockError } from '../../../domain/drydock-error.ts'
import { limits } from '../../../domain/limits.ts'
import { migrationsIn, versionOf } from '../migrations.ts'
import type { Tables } from '../tables.ts'
import type { PostgresPlace } from './connection-config.ts'
import { lastWritesTable } from './last-writes.ts'
import type { Session } from './session.ts'

type Ask = Session['ask']

/**
 * Throws DrydockError `database_unusable` if the server cannot hold a state, whatever rights its
 * user has.
 */
export async function checkServer(ask: Ask, { shown, schema }: PostgresPlace): Promise<void> {
  const { rows } = await ask(`select current_setting('server_version_num')::int as number, version() as name,
    current_setting('search_path') as path, current_setting('server_encoding') as encoding`)
  const [server] = rows as readonly { number: number; name: string; path: string; encoding: string }[]
  if (server === undefined) throw new Error('the server does not say what it is')
  const problem = serverProblem({ ...server, isOwnSession: server.path === schema })
  if (problem === null) return
  throw new DrydockError('database_unusable', `${shown}: ${problem.message}`, { todo: problem.todo })
}

interface Server {
  readonly number: number
  readonly name: string
  readonly encoding: string
  /** True if the session has the settings that were requested with it. */
  readonly isOwnSession: boolean
}

/** Null for a server that can hold a state. */
export function serverProblem(server: Server): { readonly message: string; readonly todo: string } | null {
  if (server.number < limits.database.version * 10_000) {
    const message = `${server.name.split(' on ')[0]} is too old: Drydock needs PostgreSQL ${limits.database.version} or newer.`
    return { message, todo: 'Upgrade the server, or name another one.' }
  }
  if (server.encoding !== 'UTF8') {
    const message = `the database holds ${server.encoding}, and Drydock needs UTF8.`
    return { message, todo: 'Create another one with: createdb --encoding=UTF8 --template=template0' }
  }
  if (server.isOwnSession) return null
  const message = 'something between Drydock and the server drops the settings of sessions, as PgBouncer does.'
  return { message, todo: 'Name the server itself, not a pooler in front of it.' }
}

/** The names of the applied migrations; null if there is no state. */
export async function appliedMigrations(ask: Ask, schema: string): Promise<readonly string[] | null> {
  const { rows } = await ask(`select to_regclass($1) is not null as is_there`, [`${schema}.drydock_state`])
  const [table] = rows as readonly { is_there: boolean }[]
  if (table?.is_there !== true) return null
  const applied = await ask('select name from kysely_migration order by name')
  return (applied.rows as readonly { name: string }[]).map(({ name }) => name)
}

const names = Object.keys(versionOf)

export function isCurrent(applied: readonly string[] | null): boolean {
  return applied?.join() === names.join()
}

export function isNewer(applied: readonly string[]): boolean {
  return applied.some((name) => !names.includes(name))
}

/**
 * Migrates the schema within the current transaction. Creates it with this id if it does not exist.
 */
export async function migrate(db: Kysely<Tables>, { schema, id }: { schema: string; id: string }): Promise<void> {
  const { Migrator } = await import('kysely/migration')
  const { rows } = await sql<{ oid: number }>`select oid from pg_namespace where nspname = ${schema}`.execute(db)
  // The owner of an existing schema needs no right to create one.
  if (rows.length === 0) await sql`create schema ${sql.id(schema)}`.execute(db)
  const made = await sql<{
    is_there: boolean
  }>`select to_regclass(${`${schema}.drydock_state`}) is not null as is_there`.execute(db)
  if (made.rows[0]?.is_there !== true) {
    for (const statement of functions) await sql.raw(statement).execute(db)
    await sql`create table drydock_state (id text not null, owner text)`.execute(db)
    await sql`insert into drydock_state (id) values (${id})`.execute(db)
  }
  const provider = { getMigrations: async () => migrationsIn(inPostgres, { '009_last_writes': [lastWritesTable] }) }
  const migrator = new Migrator({ db, provider, migrationTableSchema: schema, disableTransactions: true })
  const { error } = await migrator.migrateToLatest()
  if (error) throw error
  const values = Object.entries(versionOf).map(([migration, drydock]) => ({ migration, drydock }))
  await db
    .insertInto('schema_versions')
    .values(values)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Returns DrydockError `state_newer`. */
export async function newer(ask: Ask, shown: string): Promise<DrydockError> {
  const { rows } = await ask('select drydock from schema_versions order by migration desc limit 1')
  const [{ drydock: needed } = { drydock: null }] = rows as readonly { drydock: string | null }[]
  const which = needed === null ? '' : `: it takes Drydock ${needed}`
  return new DrydockError('state_newer', `The state on ${shown} was written by a newer Drydock${which}.`, {
    todo: `Use ${needed === null ? 'that version' : `${needed} or newer`}, or name another database.`,
  })
}

/** Throws the error of a worker whose version would migrate the schema, or does not know it. */
export async function refuseVersion(ask: Ask, applied: readonly string[] | null, shown: string): Promise<never> {
  if (applied !== null && isNewer(applied)) throw await newer(ask, shown)
  throw new DrydockError('worker_version', `The state on ${shown} is of an older Drydock than this worker.`, {
    todo: 'Update the hub first, then its workers.',
  })
}

/** Throws DrydockError `state_elsewhere` if the schema belongs to a folder with another id. */
export async function checkIdentity(ask: Ask, { shown, schema, id }: PostgresPlace & { id: string }): Promise<void> {
  const { rows } = await ask('select id from drydock_state')
  const [found] = rows as readonly { id: string }[]
  if (found?.id === id) return
  const message = `The state on ${shown} (schema ${schema}) belongs to another folder of Drydock, perhaps on another machine.`
  throw new DrydockError('state_elsewhere', message, {
    todo: `Work on the machine that it belongs to, name another database, or remove it for good with: drop schema ${schema} cascade`,
  })
}

/** Throws DrydockError `state_elsewhere` if the state exists already, but not on this server. */
export function refuseOther({ shown, schema, madeAt = null }: PostgresPlace & { readonly madeAt?: string | null }) {
  if (madeAt === null) return
  const message = `The state of this repository is on PostgreSQL at ${madeAt}, and ${shown} has no schema ${schema}.`
  throw new DrydockError('state_elsewhere', message, {
    todo: 'Set DRYDOCK_DATABASE_URL to where it is, or restore the schema there from a back-up. To begin anew without it, remove the folder of the state.',
  })
}

/**
 * A statement of a migration in PostgreSQL's dialect. Texts are compared and sorted by bytes, as in
 * SQLite. The target of a foreign key must be unique when its table is created.
 */
function inPostgres(statement: string): string {
  return (
    statement
      .replaceAll('integer primary key autoincrement', 'bigint generated by default as identity primary key')
      .replaceAll(/\binteger\b/g, 'bigint')
      .replaceAll(/\btext\b/g, 'text collate "C"')
      // PostgreSQL's own JSON type rejects an escaped NUL, which data may contain.
      .replaceAll(/json_extract\(([\w.]+), '\$\.(\w+)'\)/g, `substring($1 from '"$2":"([^"]+)"')`)
      .replace('foreign key (run, reply_to)', 'constraint chat_messages_by_run unique (run, id), $&')
      .replace('create unique index', '$& if not exists')
  )
}

/** SQLite functions that the queries use. */
const functions: readonly string[] = [
  `create function instr(text, text) returns integer language sql immutable as 'select strpos($1, $2)'`,
  `create function unixepoch(text) returns bigint language sql stable as 'select floor(extract(epoch from $1::timestamptz))::bigint'`,
]
