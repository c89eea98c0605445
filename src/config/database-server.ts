import { DrydockError } from '../domain/drydock-error.ts'
import { type DatabaseUrl, parseDatabaseUrl } from './database-url.ts'
import type { EnvironmentVariables } from './environment.ts'
import type { UserConfig } from './schema.ts'

/** Names the database that keeps states; set and empty it means the file in their folders. */
export const databaseVariable = 'DRYDOCK_DATABASE_URL'

type WithState = Pick<UserConfig, 'state'>

interface Given {
  readonly user: WithState
  readonly env: EnvironmentVariables
}

/** The server that keeps the state; null for a file. DrydockError `bad_config`. */
export function databaseServer({ state }: WithState, env: EnvironmentVariables): DatabaseUrl | null {
  const given = env[databaseVariable]?.trim() ?? state.postgres
  return given === undefined || given === '' ? null : readDatabaseUrl(given, databaseVariable)
}

/** `from` says where the text is from, which is not shown: it may hold a password. */
function readDatabaseUrl(text: string, from: string): DatabaseUrl {
  const parsed = parseDatabaseUrl(text)
  if (parsed !== null) return parsed
  throw new DrydockError('bad_config', `${from} is no URL of a PostgreSQL database.`, {
    todo: 'Write it like postgres://user:password@host:5432/database; special characters of the password as %XX.',
  })
}

/** The server that a copy goes to: `postgres` is the configured one. DrydockError `bad_config`. */
export function copyTarget(given: Given, to: string): DatabaseUrl {
  const configured = databaseServer(given.user, given.env)
  if (to !== 'postgres') return readDatabaseUrl(to, '--to')
  if (configured !== null) return configured
  throw new DrydockError('bad_config', 'No database is configured.', {
    todo: `Set ${databaseVariable}, or name the database: drydock state copy --to postgres://…`,
  })
}

/** What nobody may see of all that is configured. */
export function databaseSecrets({ state }: WithState, env: EnvironmentVariables): readonly string[] {
  const urls = [env[databaseVariable]?.trim() ?? '', state.postgres ?? '']
  const password = env.PGPASSWORD?.trim()
  return [...urls.flatMap((url) => parseDatabaseUrl(url)?.secrets ?? []), ...(password ? [password] : [])]
}
