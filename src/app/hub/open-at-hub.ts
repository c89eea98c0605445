import type { ConnectHub } from '../../ports/hub/hub-client.ts'
import type { Drydock } from '../drydock.ts'
import type { Installation } from '../installation.ts'

/** The address of the named hub, or else of the user's configured hub, if there is one. */
export function hubOf(
  { user, repository }: Pick<Installation, 'repository' | 'user'>,
  named: string | null,
): string | null {
  return named ?? user.hubs[repository]?.url ?? null
}

/**
 * Opens this repository with the state and work of its hub. Throws the DrydockErrors of `atHub`.
 */
export async function openAtHub(
  here: Drydock,
  named: string | null,
  connect: (env: Installation['env']) => Promise<ConnectHub>,
): Promise<Drydock> {
  const url = hubOf(here, named)
  if (url === null) return here
  const { atHub } = await import('./at-hub.ts')
  return atHub(here, url, await connect(here.env))
}
