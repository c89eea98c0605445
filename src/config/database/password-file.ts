import { readFileSync, statSync } from 'node:fs'
import { homedir, userInfo } from 'node:os'
import { join } from 'node:path'
import { DrydockError } from '../../domain/drydock-error.ts'
import type { EnvironmentVariables } from '../environment.ts'

/** The connection that needs a password. */
interface Connection {
  readonly host: string
  readonly port: string
  readonly database: string
  readonly user: string
}

/**
 * The password for a PostgreSQL URL in `~/.pgpass`, or in the file that `PGPASSFILE` names; null if
 * there is none. The format is PostgreSQL's own. Throws DrydockError `bad_config` if other users
 * can read the file with the password.
 */
export function passwordFor(url: URL, env: EnvironmentVariables): string | null {
  const file = env.PGPASSFILE || join(env.HOME || homedir(), '.pgpass')
  const asked = connectionOf(url, env)
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch {
    return null
  }
  const found = text
    .split(/\r?\n/)
    .map(fieldsOf)
    .find((fields) => fields !== null && matches(fields, asked))
  if (found == null) return null
  if ((statSync(file).mode & 0o077) === 0) return found[4]
  throw new DrydockError('bad_config', `Other users can read ${file}, which has the password of the database.`, {
    todo: `Keep it for yourself: chmod 600 ${file}`,
  })
}

function connectionOf(url: URL, env: EnvironmentVariables): Connection {
  const parameter = (name: string) => url.searchParams.get(name) ?? ''
  const user = parameter('user') || decodeURIComponent(url.username) || env.PGUSER || userInfo().username
  const host = parameter('host') || decodeURIComponent(url.hostname) || env.PGHOST || 'localhost'
  return {
    // A connection through a socket counts as localhost.
    host: host.startsWith('/') ? 'localhost' : host.replace(/^\[|\]$/g, ''),
    port: parameter('port') || url.port || env.PGPORT || '5432',
    database: parameter('dbname') || decodeURIComponent(url.pathname.slice(1)) || env.PGDATABASE || user,
    user,
  }
}

type Fields = readonly [string, string, string, string, string]

/** Null for a line without an entry. A backslash escapes colons and backslashes inside fields. */
function fieldsOf(line: string): Fields | null {
  if (line.startsWith('#')) return null
  const fields = [...line.matchAll(/((?:\\.|[^:\\])*)(?::|$)/g)].map(([, field = '']) => field.replace(/\\(.)/g, '$1'))
  const [host, port, database, user, password] = fields
  if (password === undefined) return null
  return [host ?? '', port ?? '', database ?? '', user ?? '', password]
}

function matches([host, port, database, user]: Fields, asked: Connection): boolean {
  const pairs = [
    [host, asked.host],
    [port, asked.port],
    [database, asked.database],
    [user, asked.user],
  ] as const
  return pairs.every(([field, value]) => field === '*' || field === value)
}
