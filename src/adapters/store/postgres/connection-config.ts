import { createHash } from 'node:crypto'
import pg, { type ClientConfig } from 'pg'
import { limits } from '../../../domain/limits.ts'

/** Where a state is on a server: each state is a schema of its own. */
export interface PostgresPlace {
  /** Holds the password. */
  readonly url: string
  /** What may be printed of it. */
  readonly shown: string
  readonly schema: string
}

/**
 * The settings that the state relies on are asked for with the connection, since a pooler that
 * hands one session to several clients refuses them.
 */
export function connectionConfig(
  { url, schema }: PostgresPlace,
  { idleMs = limits.database.patienceMs }: { readonly idleMs?: number } = {},
): ClientConfig {
  const { patienceMs, connectMs } = limits.database
  const settings = {
    ...{ search_path: schema, synchronous_commit: 'on', lock_timeout: patienceMs, statement_timeout: 0 },
    // A process that is stopped in the middle of a transaction does not keep the state locked.
    idle_in_transaction_session_timeout: idleMs,
    ...{ default_transaction_isolation: 'read\\ committed', TimeZone: 'UTC' },
    ...{ tcp_keepalives_idle: 10, tcp_keepalives_interval: 5, tcp_keepalives_count: 3 },
  }
  const parsed = new URL(url)
  const own = parsed.searchParams.get('options')
  parsed.searchParams.delete('options')
  const options = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`)
  return {
    connectionString: parsed.href,
    // The last word counts.
    options: [...(own === null ? [] : [own]), ...options].join(' '),
    application_name: 'drydock',
    keepAlive: true,
    connectionTimeoutMillis: connectMs,
    types: { getTypeParser },
  }
}

const [bigint, numeric] = [20, 1700]

/** Counts, ids and sums, all of which a number holds. */
function getTypeParser(type: number, format?: 'text' | 'binary'): (value: string) => unknown {
  return type === bigint || type === numeric ? Number : pg.types.getTypeParser(type, format as 'text')
}

/** The key of an advisory lock, which a whole database shares. */
export function lockKey(schema: string, purpose: 'writer' | 'owner'): bigint {
  return createHash('sha256').update(`drydock ${purpose} ${schema}`).digest().readBigInt64BE()
}
