import { basename } from 'node:path'
import { DrydockError } from '../../../domain/drydock-error.ts'
import { type SharedState, workerProtocol } from '../../../domain/worker/shared-state.ts'
import type { Installation } from '../../installation.ts'
import type { StateAccess } from '../../state-access.ts'

type Sources = Pick<Installation, 'repository' | 'userRepository' | 'user' | 'notifiers'> &
  Pick<StateAccess, 'stateAddress'>

/**
 * The shared state as the worker with the named token needs it. Throws DrydockError
 * `no_shared_state`.
 */
export async function readSharedState(
  { stateAddress, repository, userRepository, user, notifiers }: Sources,
  { token, version }: { readonly token: string; readonly version: string },
): Promise<SharedState> {
  const state = await stateAddress()
  if (state === null) {
    throw new DrydockError('no_shared_state', 'The state of this hub is in a file, which no worker can reach.', {
      todo: 'Bring it to PostgreSQL: end the hub, set DRYDOCK_DATABASE_URL, run `drydock state copy --to postgres`.',
    })
  }
  return {
    protocol: workerProtocol,
    version,
    token,
    state,
    repository: basename(repository),
    git: '/git',
    slots: user.slots,
    commits: { author: await userRepository.author(), trailers: user.commit.trailers },
    notifying: { notifiers: notifiers.map(({ name }) => name), on: user.notify.on },
  }
}
