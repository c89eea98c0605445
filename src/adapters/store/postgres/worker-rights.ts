import { DrydockError } from '../../../domain/drydock-error.ts'
import type { PostgresPlace } from './connection-config.ts'
import type { Session } from './session.ts'

type Ask = Session['ask']

type Right = 'select' | 'insert' | 'update' | 'delete'

/**
 * The rights of a worker's role for each table; an update names its columns. docs/workers.md
 * explains each right. Tokens, sessions, commands and calls to forges are missing on purpose: with
 * any of them a worker could act as a person, or in the hub's name. Rows about the past can be
 * added but never changed.
 */
const rights: Readonly<Record<string, readonly (Right | readonly string[])[]>> = {
  kysely_migration: ['select'],
  schema_versions: ['select'],
  drydock_state: ['select', ['owner']],
  machines: ['select', 'insert', ['state', 'version', 'data', 'host', 'updated_at']],
  jobs: ['select', 'insert', ['run_at', 'host'], 'delete'],
  events: ['select', 'insert'],
  messages: ['select', 'insert'],
  model_calls: ['select', 'insert'],
  tool_executions: ['select', 'insert', ['result', 'success', 'duration_ms', 'finished_at'], 'delete'],
  verifications: ['select', 'insert'],
  context_files: ['select', 'insert'],
  acceptance_tests: ['select', 'insert', ['tests']],
  chat_messages: ['select', 'insert'],
  reservations: ['select', 'insert', ['micro_usd', 'tokens', 'open'], 'delete'],
  last_writes: ['select', 'insert', ['number', 'at'], 'delete'],
  workers: ['select', 'insert', ['host', 'backend', 'seen', 'given_up', 'draining', 'has_left', 'lost_at'], 'delete'],
  leases: ['select', 'insert', ['job'], 'delete'],
}

/**
 * The kinds of machines that only the hub creates, and those that only the hub creates and changes.
 */
const madeByHub = `'run', 'schedule', 'landing'`
const movedByHub = `'schedule', 'landing'`

/**
 * Row-level rules, which do not apply to the owner of the tables. They name no role, so that a
 * backup can be restored on a server without these roles.
 */
const rules: readonly { readonly table: string; readonly on: string }[] = [
  { table: 'machines', on: `insert with check (kind not in (${madeByHub}))` },
  { table: 'machines', on: `update using (kind not in (${movedByHub}))` },
  { table: 'jobs', on: `insert with check (queue not in (${movedByHub}))` },
  { table: 'jobs', on: `delete using (queue not in (${movedByHub}))` },
  { table: 'jobs', on: `update using (queue not in (${movedByHub}))` },
  { table: 'events', on: 'insert with check (actor is null)' },
  { table: 'chat_messages', on: `insert with check (author is null and (agent_id <> 'human' or reply_to is null))` },
]

/** A name that needs no quotes. */
export const roleName = /^(?!pg_)[a-z_][a-z0-9_]{0,62}$/

/** Statements that give a role exactly a worker's rights on the tables of a state. */
export function rightsSql(schema: string, role: string): readonly string[] {
  const ruled = [...new Set(rules.map(({ table }) => table))]
  return [
    `revoke all on schema ${schema} from ${role}`,
    `revoke all on all tables in schema ${schema} from ${role}`,
    `revoke all on all sequences in schema ${schema} from ${role}`,
    `grant usage on schema ${schema} to ${role}`,
    ...Object.entries(rights).map(
      ([table, given]) => `grant ${given.map(wordOf).join(', ')} on ${schema}.${table} to ${role}`,
    ),
    ...ruled.flatMap((table) => [
      `alter table ${schema}.${table} enable row level security`,
      `drop policy if exists all_rows on ${schema}.${table}`,
      `create policy all_rows on ${schema}.${table} using (true) with check (true)`,
    ]),
    ...rules.flatMap(({ table, on }) => {
      const name = `no_${on.split(' ')[0]}_for_the_hub`
      return [
        `drop policy if exists ${name} on ${schema}.${table}`,
        `create policy ${name} on ${schema}.${table} as restrictive for ${on}`,
      ]
    }),
  ]
}

function wordOf(right: Right | readonly string[]): string {
  return typeof right === 'string' ? right : `update (${right.join(', ')})`
}

/** Roles with rights on the leases, which only workers need. */
async function workerRoles(ask: Ask, schema: string): Promise<readonly string[]> {
  const { rows } = await ask(
    `select distinct grantee::regrole::text as name from pg_class, aclexplode(relacl) where oid = to_regclass($1)
      and grantee not in (0, relowner) order by 1`,
    [`${schema}.leases`],
  )
  return (rows as readonly { name: string }[]).map(({ name }) => name).filter((name) => roleName.test(name))
}

/** The rights that a role lacks on the existing tables, in words. */
async function missingRights(ask: Ask, { schema, role }: { schema: string; role: string }) {
  const wanted = Object.entries(rights).flatMap(([table, given]) =>
    given.flatMap((right) =>
      typeof right === 'string' ? [[table, '', right]] : right.map((column) => [table, column, 'update']),
    ),
  )
  const { rows } = await ask(
    `select wanted.right_name || ' on ' || wanted.table_name || case wanted.column_name when '' then '' else '.' || wanted.column_name end as missing
      from pg_namespace as space, unnest($3::text[], $4::text[], $5::text[]) as wanted(table_name, column_name, right_name)
      left join pg_class as found on found.relname = wanted.table_name and found.relkind = 'r'
        and found.relnamespace = (select oid from pg_namespace where nspname = $1)
      left join pg_attribute as part on part.attrelid = found.oid and part.attname = wanted.column_name
      where space.nspname = $1 and (not has_schema_privilege($2, space.oid, 'usage')
        or not case wanted.column_name when '' then has_table_privilege($2, found.oid, wanted.right_name)
          else has_column_privilege($2, found.oid, part.attnum, wanted.right_name) end)`,
    [schema, role, ...[0, 1, 2].map((n) => wanted.map((each) => each[n]))],
  )
  return (rows as readonly { missing: string }[]).map(({ missing }) => missing)
}

/** Updates the rights of workers' roles to another version of the tables. */
export async function renewRights(ask: Ask, schema: string): Promise<void> {
  for (const role of await workerRoles(ask, schema)) {
    if ((await missingRights(ask, { schema, role })).length === 0) continue
    await ask(['begin', ...rightsSql(schema, role), 'commit'].join('; '))
  }
}

/** Throws DrydockError `database_unusable` if the worker's database user lacks rights. */
export async function checkRights(ask: Ask, { schema, shown }: PostgresPlace): Promise<void> {
  const { rows } = await ask('select current_user as role')
  const [{ role } = { role: '' }] = rows as readonly { role: string }[]
  const missing = await missingRights(ask, { schema, role })
  if (missing.length === 0) return
  const more = missing.length > 3 ? `, and ${missing.length - 3} more` : ''
  const message = `The user ${role} of ${shown} lacks rights that a worker needs: ${missing.slice(0, 3).join(', ')}${more}.`
  throw new DrydockError('database_unusable', message, {
    todo: `Give them on the hub: drydock hub worker-role ${roleName.test(role) ? role : '<name>'}`,
  })
}
