import { DrydockError } from '../../../domain/drydock-error.ts'
import { connectionConfig, type PostgresPlace } from './connection-config.ts'
import { explained, unreachable } from './postgres-error.ts'
import { appliedMigrations, checkIdentity, checkServer, refuseOther } from './prepare-schema.ts'
import { createSession } from './session.ts'

/**
 * Tries on the server everything that a state needs, and undoes it. Returns the server's version.
 * `id` is null before the first state. Throws DrydockError `database_unreachable`,
 * `database_unusable` or `state_elsewhere`.
 */
export async function tryServer(
  place: PostgresPlace & { readonly id: string | null; readonly madeAt: string | null },
): Promise<string> {
  const { shown, schema, id } = place
  const config = connectionConfig(place)
  const first = createSession({ config, onConnect: (ask) => checkServer(ask, place) })
  const second = createSession({ config, onConnect: async () => {} })
  try {
    await first.connected()
    await second.connected()
    const before = await backendOf(first.ask)
    await second.ask('begin')
    await backendOf(second.ask)
    if ((await backendOf(first.ask)) !== before) throw pooled(shown)
    await second.ask('rollback')
    const applied = await appliedMigrations(first.ask, schema)
    if (applied === null) refuseOther(place)
    else await checkIdentity(first.ask, { ...place, id: id ?? '' })
    await first.ask('begin')
    await first.ask(applied === null ? `create schema if not exists ${schema}` : 'select 1')
    await first.ask(`create table ${schema}.drydock_tried (id bigint)`)
    await first.ask('rollback')
    const { rows } = await first.ask(`select current_setting('server_version') as version`)
    const [{ version } = { version: '' }] = rows as readonly { version: string }[]
    return `PostgreSQL ${version.split(' ')[0]} at ${shown}, schema ${schema}${applied === null ? ', not made yet' : ''}`
  } catch (error) {
    const told = explained(error, shown)
    throw told instanceof DrydockError ? told : unreachable(error, shown)
  } finally {
    await Promise.all([first.close(), second.close()])
  }
}

type Ask = Parameters<typeof checkServer>[0]

async function backendOf(ask: Ask): Promise<unknown> {
  const { rows } = await ask('select pg_backend_pid() as pid')
  return (rows as readonly { pid: number }[])[0]?.pid
}

function pooled(shown: string): DrydockError {
  const message = `A pooler at ${shown} gives one session to several clients, and Drydock needs sessions of its own.`
  return new DrydockError('database_unusable', message, {
    todo: 'Name the server itself, not PgBouncer or another pooler in front of it.',
  })
}
