import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { createHubDoor } from '../adapters/hub-door/hub-door.ts'
import { workersOnServer } from '../adapters/store/hub/workers-on-server.ts'
import type { Opening } from '../app/opening.ts'
import type { WorkerHere } from '../app/worker.ts'
import { databaseServer } from '../config/database/database-server.ts'
import { readHubToken } from '../config/hub-variables.ts'
import { DrydockError } from '../domain/drydock-error.ts'
import { hostOf } from '../domain/worker/worker-name.ts'
import { noDatabase } from './no-database.ts'
import { openMachine } from './open-machine.ts'

/** The folder of one worker: one for each hub's schema and worker's name. */
export function workerFolder(stateRoot: string, schema: string, name: string): string {
  return join(stateRoot, 'workers', `${schema}-${name}`)
}

/** The file in it that has its id. */
export const idFile = 'worker.json'

/** Null in a folder that no worker has used. */
export async function workerIdIn(folder: string): Promise<string | null> {
  const text = await readFile(join(folder, idFile), 'utf8').catch(() => null)
  return text === null ? null : z.object({ id: z.uuid() }).parse(JSON.parse(text)).id
}

/**
 * The worker with this name on this machine. Throws DrydockError `not_found`, and the errors of the
 * hub's door.
 */
export async function workerHere(
  options: Pick<Opening, 'env' | 'flags' | 'clock'>,
  { hub, name }: { readonly hub: string; readonly name: string },
): Promise<WorkerHere> {
  const { environment, env, user } = await openMachine(options)
  const server = databaseServer(user, env)
  if (server === null) throw noDatabase()
  const { state, token } = await createHubDoor({ url: hub, token: readHubToken(env) }).sharedState()
  const id = await workerIdIn(workerFolder(environment.stateRoot, state.schema, name))
  if (id !== null) return { host: hostOf({ token, name, id }), ...workersOnServer({ server, address: state }) }
  throw new DrydockError('not_found', `No worker named ${name} has worked for ${hub} on this machine.`, {
    todo: 'Name it with --name, as it was started. At the hub: drydock hub drain <name>',
  })
}
