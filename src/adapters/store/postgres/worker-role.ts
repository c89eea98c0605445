import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'
import { DrydockError } from '../../../domain/drydock-error.ts'
import type { WorkerRole, WorkerRoleOptions } from '../../../ports/hub/worker-role.ts'
import { connectionConfig, lockKey, type PostgresPlace } from './connection-config.ts'
import { explained } from './postgres-error.ts'
import { createSession, type Session } from './session.ts'
import { rightsSql, roleName } from './worker-rights.ts'
import { makeWorkerTables } from './workers.ts'

type Ask = Session['ask']

/**
 * Creates the role of workers, or returns the statements for it, in an existing state. A password
 * is generated for a new role, or on request; the server only receives its verifier. Throws
 * DrydockError `bad_usage` or `database_unusable`.
 */
export async function makeWorkerRole(place: PostgresPlace, wanted: WorkerRoleOptions): Promise<WorkerRole> {
  const { name } = wanted
  const session = createSession({ config: connectionConfig(place), onConnect: async () => {} })
  try {
    await session.connected()
    const found = await readRole(session.ask, name)
    if (found !== null) refuseOther(name, found)
    const isNew = found === null
    const password = isNew || wanted.newPassword ? randomBytes(32).toString('base64url') : null
    const made = { isNew, url: password === null ? null : urlFor(place.url, { name, password }) }
    const role = { name, isNew, verifier: password === null ? null : scramVerifier(password) }
    await session.ask(`begin; select pg_advisory_xact_lock(${lockKey(place.schema, 'writer')})`)
    await makeWorkerTables(session.ask)
    await session.ask('commit')
    const given = rightsSql(place.schema, name)
    if (wanted.asSql) {
      const database = await nameOfDatabase(session.ask)
      return { ...made, sql: [...roleSql(role), `grant connect on database ${database} to ${name}`, ...given] }
    }
    await session.ask(`begin; select pg_advisory_xact_lock(${lockKey(place.schema, 'writer')})`)
    for (const statement of roleSql(role)) await session.ask(statement).catch(explainRole(name))
    for (const statement of given) await session.ask(statement)
    await session.ask('commit')
    if (!(await mayConnect(session.ask, name))) throw mayNotConnect(name, await nameOfDatabase(session.ask))
    return { ...made, sql: null }
  } catch (error) {
    throw explained(error, place.shown)
  } finally {
    await session.close()
  }
}

interface ExistingRole {
  /** Rights beyond those of a worker, in words; empty for a suitable role. */
  readonly more: string
}

async function readRole(ask: Ask, name: string): Promise<ExistingRole | null> {
  if (!roleName.test(name))
    throw new DrydockError('bad_usage', `${JSON.stringify(name.slice(0, 80))} is not a name for a role of workers.`, {
      todo: 'Use up to 63 lower-case letters, digits and _, beginning with a letter, and not with pg_.',
    })
  const { rows } = await ask(
    `select concat_ws(', ', case when rolname = current_user then 'is the user of the hub' end,
        case when rolsuper then 'is a superuser' end, case when rolcreaterole then 'makes roles' end,
        case when rolcreatedb then 'makes databases' end, case when rolreplication then 'replicates' end,
        case when rolbypassrls then 'passes by rules for rows' end,
        case when exists (select from pg_auth_members where member = pg_roles.oid) then 'is a member of other roles' end,
        case when exists (select from pg_shdepend where refclassid = 'pg_authid'::regclass and refobjid = pg_roles.oid and deptype = 'o')
          then 'owns something' end) as more
      from pg_roles where rolname = $1`,
    [name],
  )
  return (rows as readonly ExistingRole[])[0] ?? null
}

function refuseOther(name: string, { more }: ExistingRole): void {
  if (more === '') return
  throw new DrydockError('bad_usage', `The role ${name} can do more than a worker: it ${more}.`, {
    todo: 'Name a role that is not there yet. It is made with the rights of a worker alone.',
  })
}

interface Role {
  readonly name: string
  readonly isNew: boolean
  /** Null to keep the password. */
  readonly verifier: string | null
}

function roleSql({ name, isNew, verifier }: Role): readonly string[] {
  if (verifier === null) return []
  return [
    isNew
      ? `create role ${name} login nosuperuser nocreatedb nocreaterole noinherit noreplication nobypassrls password '${verifier}'`
      : `alter role ${name} login password '${verifier}'`,
  ]
}

function explainRole(name: string) {
  return (error: unknown): never => {
    if (!(error instanceof Error && 'code' in error && error.code === '42501')) throw error
    throw new DrydockError('database_unusable', `The user of the hub may not make or change roles: ${error.message}.`, {
      todo: `Let an administrator of the server do it: drydock hub worker-role ${name} --sql | psql --single-transaction <database>`,
      cause: error,
    })
  }
}

async function mayConnect(ask: Ask, name: string): Promise<boolean> {
  const { rows } = await ask(`select has_database_privilege($1, current_database(), 'connect') as may`, [name])
  return (rows as readonly { may: boolean }[])[0]?.may === true
}

function mayNotConnect(name: string, database: string): DrydockError {
  return new DrydockError(
    'database_unusable',
    `The role ${name} has its rights, but may not connect to the database.`,
    {
      todo: `Let its owner run: GRANT CONNECT ON DATABASE ${database} TO ${name}`,
    },
  )
}

async function nameOfDatabase(ask: Ask): Promise<string> {
  const { rows } = await ask('select quote_ident(current_database()) as name')
  return (rows as readonly { name: string }[])[0]?.name ?? ''
}

/** The URL of the hub's server with the workers' user. */
function urlFor(hub: string, { name, password }: { readonly name: string; readonly password: string }): string {
  const url = new URL(hub)
  for (const own of ['user', 'password', 'sslcert', 'sslkey', 'sslpassword', 'options']) url.searchParams.delete(own)
  url.username = name
  url.password = password
  // A URL whose host is a socket has no place for a user.
  if (url.hostname === '') {
    url.searchParams.set('user', name)
    url.searchParams.set('password', password)
  }
  return url.href
}

/**
 * The verifier of a password (RFC 5802), so that the password is neither on the server nor in its
 * log.
 */
function scramVerifier(password: string, salt = randomBytes(16)): string {
  const rounds = 4096
  const salted = pbkdf2Sync(password, salt, rounds, 32, 'sha256')
  const keyOf = (what: string) => createHmac('sha256', salted).update(what).digest()
  const stored = createHash('sha256').update(keyOf('Client Key')).digest('base64')
  return `SCRAM-SHA-256$${rounds}:${salt.toString('base64')}$${stored}:${keyOf('Server Key').toString('base64')}`
}
