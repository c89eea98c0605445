import { mkdir } from 'node:fs/promises'
import { DrydockError } from '../../domain/drydock-error.ts'

/** Inside of the repository it would be part of what is verified, and in the way of the user's git. DrydockError `state_unusable`. */
export function checkStateFolder(state: string, repositoryPath: string): void {
  if (!`${state}/`.startsWith(`${repositoryPath}/`)) return
  throw new DrydockError('state_unusable', `The folder for the state lies inside the repository: ${state}`, {
    todo: 'Point DRYDOCK_HOME (or XDG_STATE_HOME) to a folder outside of it.',
  })
}

/** DrydockError `state_unusable`. */
export async function makeStateFolder(state: string): Promise<void> {
  try {
    await mkdir(state, { recursive: true, mode: 0o700 })
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new DrydockError('state_unusable', `The folder for the state cannot be made: ${why}`, {
      todo: 'Point DRYDOCK_HOME (or XDG_STATE_HOME) to a folder that can be written.',
      cause,
    })
  }
}
