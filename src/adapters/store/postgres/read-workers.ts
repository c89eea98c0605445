import type { WorkerSign } from '../../../ports/hub/worker-sign.ts'
import { connectionConfig, type PostgresPlace } from './connection-config.ts'
import { explained } from './postgres-error.ts'
import { createSession, type Session } from './session.ts'

/** Read as JSON, since a hub of an older version has created fewer columns. */
interface Row {
  readonly id: string
  readonly host: string
  readonly seen: string
  readonly given_up: boolean
  readonly has_left?: boolean
  readonly draining?: boolean
  readonly version?: string | null
  readonly protocol?: number | null
  readonly since?: string
}

/**
 * The workers of the state, by host, the latest heartbeat first. Empty if the state was never
 * shared.
 */
export async function readWorkers(place: PostgresPlace): Promise<readonly WorkerSign[]> {
  return connected(place, async (ask) => {
    if (!(await hasWorkers(ask, place))) return []
    const { rows } = await ask(`select to_jsonb(workers) as row,
      (extract(epoch from clock_timestamp() - seen) * 1000)::float8 as "silentMs" from workers order by host, seen desc`)
    return (rows as readonly { row: Row; silentMs: number }[]).map(({ row, silentMs }) => ({
      id: row.id,
      host: row.host,
      silentMs,
      isGivenUp: row.given_up,
      hasLeft: row.has_left ?? false,
      isDraining: row.draining ?? false,
      version: row.version ?? null,
      protocol: row.protocol ?? null,
      since: row.since === undefined ? null : isoOf(row.since),
      seenAt: isoOf(row.seen),
    }))
  })
}

/**
 * Asks the workers of a host to drain; they learn it at their next heartbeat. Returns their ids.
 */
export async function drainWorkers(place: PostgresPlace, host: string): Promise<readonly string[]> {
  return connected(place, async (ask) => {
    if (!(await hasWorkers(ask, place))) return []
    const { rows } = await ask('update workers set draining = true where host = $1 and not given_up returning id', [
      host,
    ])
    return (rows as readonly Pick<Row, 'id'>[]).map(({ id }) => id)
  })
}

async function hasWorkers(ask: Session['ask'], { schema }: PostgresPlace): Promise<boolean> {
  const { rows } = await ask('select to_regclass($1) is not null as is_there', [`${schema}.workers`])
  return (rows as readonly { is_there: boolean }[])[0]?.is_there === true
}

async function connected<T>(place: PostgresPlace, work: (ask: Session['ask']) => Promise<T>): Promise<T> {
  const session = createSession({ config: connectionConfig(place), onConnect: async () => {} })
  try {
    await session.connected()
    return await work(session.ask)
  } catch (error) {
    throw explained(error, place.shown)
  } finally {
    await session.close()
  }
}

function isoOf(text: string): string {
  return new Date(text).toISOString()
}
