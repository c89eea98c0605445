import { DrydockError } from '../../domain/drydock-error.ts'
import type { EnvironmentVariables } from '../environment.ts'
import type { UserConfig } from '../schema.ts'
import { type DatabaseUrl, parseDatabaseUrl } from './database-url.ts'
import { passwordFor } from './password-file.ts'

/**
 * The variable for the database that keeps states; an empty value means the file in their folders.
 */
export const databaseVariable = 'DRYDOCK_DATABASE_URL'

type WithState = Pick<UserConfig, 'state'>

interface CopyTargetInput {
  readonly user: WithState
  readonly env: EnvironmentVariables
}

/** The server that keeps the state; null for a file. Throws DrydockError `bad_config`. */
export function databaseServer({ state }: WithState, env: EnvironmentVariables): DatabaseUrl | null {
  const given = env[databaseVariable]?.trim() ?? state.postgres
  return given === undefined || given === '' ? null : readDatabaseUrl(given, databaseVariable, env)
}

/**
 * `from` names the origin of the text, which itself is not shown, since it may contain a password.
 */
function readDatabaseUrl(text: string, from: string, env: EnvironmentVariables): DatabaseUrl {
  const parsed = parseDatabaseUrl(withPassword(text, env))
  if (parsed !== null) return parsed
  throw new DrydockError('bad_config', `${from} is no URL of a PostgreSQL database.`, {
    todo: 'Write it like postgres://user:password@host:5432/database; special characters of the password as %XX.',
  })
}

/** The URL with the password of the user's password file, if it has none itself. */
function withPassword(text: string, env: EnvironmentVariables): string {
  const url = URL.parse(text)
  if (url === null || parseDatabaseUrl(text) === null) return text
  if (url.password !== '' || url.searchParams.has('password') || env.PGPASSWORD) return text
  const password = passwordFor(url, env)
  if (password === null) return text
  url.searchParams.set('password', password)
  return url.href
}

/**
 * The server that a copy goes to: `postgres` means the configured one. Throws DrydockError
 * `bad_config`.
 */
export function copyTarget(given: CopyTargetInput, to: string): DatabaseUrl {
  const configured = databaseServer(given.user, given.env)
  if (to !== 'postgres') return readDatabaseUrl(to, '--to', given.env)
  if (configured !== null) return configured
  throw new DrydockError('bad_config', 'No database is configured.', {
    todo: `Set ${databaseVariable}, or name the database: drydock state copy --to postgres://…`,
  })
}

/** All secrets in the configuration of the database. */
export function databaseSecrets({ state }: WithState, env: EnvironmentVariables): readonly string[] {
  const urls = [env[databaseVariable]?.trim() ?? '', state.postgres ?? ''].map((url) => withPassword(url, env))
  const password = env.PGPASSWORD?.trim()
  return [...urls.flatMap((url) => parseDatabaseUrl(url)?.secrets ?? []), ...(password ? [password] : [])]
}
