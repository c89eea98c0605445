import type { ConnectHub } from '../../ports/hub/hub-client.ts'
import type { Drydock } from '../drydock.ts'

/**
 * The same repository with the state and the work of a hub: the named one, or else the one of the
 * user's configuration, if it has one. Throws the DrydockErrors of `atHub`.
 */
export async function openAtHub(
  here: Drydock,
  named: string | null,
  connect: (env: Drydock['env']) => Promise<ConnectHub>,
): Promise<Drydock> {
  const url = named ?? here.user.hubs[here.repository]?.url ?? null
  if (url === null) return here
  const { atHub } = await import('./at-hub.ts')
  return atHub(here, url, await connect(here.env))
}
