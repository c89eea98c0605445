import { DrydockError } from './drydock-error.ts'

/** The error for a socket folder into which other users could put sockets of their own. */
export function exposedSockets(folder: string): DrydockError {
  return new DrydockError('bad_config', `Other users can write to ${folder}, the folder for sockets of the state.`, {
    todo: `Run: chmod 700 ${folder}. If the folder is not yours, set DRYDOCK_HOME to a folder with a shorter path.`,
  })
}
