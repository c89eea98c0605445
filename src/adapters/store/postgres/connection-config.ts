import { createHash } from 'node:crypto'
import pg, { type ClientConfig } from 'pg'
import { limits } from '../../../domain/limits.ts'

/** The place of a state on a server: each state has its own schema. */
export interface PostgresPlace {
  /** The URL, including the password. */
  readonly url: string
  /** The address without the password, for messages. */
  readonly shown: string
  readonly schema: string
}

/**
 * The settings that a state relies on are sent as startup options, which a pooler that shares
 * sessions between clients refuses.
 */
export function connectionConfig(
  { url, schema }: PostgresPlace,
  { idleMs = limits.database.patienceMs }: { readonly idleMs?: number } = {},
): ClientConfig {
  const { patienceMs, connectMs } = limits.database
  const settings = {
    search_path: schema,
    synchronous_commit: 'on',
    lock_timeout: patienceMs,
    statement_timeout: 0,
    // Ends the transaction of a suspended process, which would otherwise keep the state locked.
    idle_in_transaction_session_timeout: idleMs,
    default_transaction_isolation: 'read\\ committed',
    TimeZone: 'UTC',
    tcp_keepalives_idle: 10,
    tcp_keepalives_interval: 5,
    tcp_keepalives_count: 3,
  }
  const parsed = new URL(url)
  const own = parsed.searchParams.get('options')
  parsed.searchParams.delete('options')
  const options = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`)
  return {
    connectionString: parsed.href,
    // The last option wins.
    options: [...(own === null ? [] : [own]), ...options].join(' '),
    application_name: 'drydock',
    keepAlive: true,
    connectionTimeoutMillis: connectMs,
    types: { getTypeParser },
  }
}

const [bigint, numeric] = [20, 1700]

/** Counts, ids and sums, all of which fit into a number. */
function getTypeParser(type: number, format?: 'text' | 'binary'): (value: string) => unknown {
  return type === bigint || type === numeric ? Number : pg.types.getTypeParser(type, format as 'text')
}

/** The key of an advisory lock. Such locks are shared by the whole database. */
export function lockKey(schema: string, purpose: 'writer' | 'owner'): bigint {
  return createHash('sha256').update(`drydock ${purpose} ${schema}`).digest().readBigInt64BE()
}
