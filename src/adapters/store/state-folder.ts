import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { DrydockError } from '../../domain/drydock-error.ts'
import { checkPrivate } from './check-private.ts'
import { nearestRealPath } from './nearest-real-path.ts'

/**
 * Refuses a state folder in three places. Inside the repository it would be verified with the
 * repository, and disturb the user's git. Inside folders that sandboxes mount, agents would see it,
 * the states of other repositories and the keys. A folder that other users may write to is not
 * safe. A worker has no repository. Throws DrydockError `state_unusable` or `bad_config`.
 */
export async function checkStateFolder(
  state: string,
  {
    repositoryPath,
    readOnlyPaths,
  }: { readonly repositoryPath: string | null; readonly readOnlyPaths: readonly string[] },
): Promise<void> {
  await checkHidden(dirname(state), readOnlyPaths)
  await checkPrivate(state)
  if (repositoryPath === null || !`${state}/`.startsWith(`${repositoryPath}/`)) return
  throw new DrydockError('state_unusable', `The folder for the state is inside the repository: ${state}`, {
    todo: 'Set DRYDOCK_HOME (or XDG_STATE_HOME) to a folder outside the repository.',
  })
}

async function checkHidden(stateRoot: string, readOnlyPaths: readonly string[]): Promise<void> {
  const hidden = await nearestRealPath(stateRoot)
  for (const path of readOnlyPaths) {
    const shown = await nearestRealPath(path)
    if (!`${hidden}/`.startsWith(shown === '/' ? shown : `${shown}/`)) continue
    const message = `sandbox.read_only_paths shows agents the state of Drydock with its keys: ${path} contains ${stateRoot}`
    throw new DrydockError('bad_config', message, {
      todo: 'Name only the folders in it that tools need, such as ~/.local/bin.',
    })
  }
}

/** Throws DrydockError `state_unusable`. */
export async function makeStateFolder(state: string): Promise<void> {
  try {
    await mkdir(state, { recursive: true, mode: 0o700 })
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new DrydockError('state_unusable', `The folder for the state cannot be created: ${why}`, {
      todo: 'Set DRYDOCK_HOME (or XDG_STATE_HOME) to a writable folder.',
      cause,
    })
  }
}
