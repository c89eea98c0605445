import { usage } from '../../../app/usage.ts'
import type { CommonOptions, Context } from '../../context.ts'
import { open } from '../../open.ts'

export interface WorkerRoleOptions {
  readonly sql?: boolean
  readonly newPassword?: boolean
}

/** Makes the database role for the hub's workers, or prints the SQL that makes it. */
export async function hubWorkerRole(
  context: Context,
  [name, ...more]: readonly string[],
  { sql: asSql = false, newPassword = false, ...options }: CommonOptions & WorkerRoleOptions,
): Promise<number> {
  const { terminal, output } = context
  if (name === undefined || more.length > 0)
    throw usage('`hub worker-role` takes the name of a role.', 'For example: drydock hub worker-role drydock_worker')
  const drydock = await open(context, options)
  await drydock.ensureState()
  const made = await drydock.makeWorkerRole({ name, newPassword, asSql })
  if (made === null) throw usage('The state is in a file, which no worker reaches.', 'Set DRYDOCK_DATABASE_URL.')
  const { isNew, url, sql } = made
  // Writes directly to stdout, since the normal output redacts passwords.
  const print = (line: string) => void terminal.stdout.write(`${line}\n`)
  if (output.json) print(JSON.stringify({ type: 'hub_worker_role', name, made: isNew, url, sql }))
  else if (sql !== null) print(sql.map((statement) => `${statement};`).join('\n'))
  else if (url !== null) print(url)
  else output.say(`${name} has the rights of a worker, and the password that it had.`)
  if (url === null) return 0
  const where = 'Give it to workers as DRYDOCK_DATABASE_URL'
  if (sql === null) output.note(`This is the database for workers. ${where}. It is shown only once.`)
  // Standard output contains only the line for the server.
  else if (!output.json) terminal.stderr.write(`The database for workers. ${where}; it is shown only once:\n${url}\n`)
  return 0
}
