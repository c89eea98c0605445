import { DrydockError } from '../domain/drydock-error.ts'
import type { EnvironmentVariables } from './environment.ts'

const hubTokenVariable = 'DRYDOCK_HUB_TOKEN'

/** The token of a worker. It is never an argument, which other users of a machine could read. */
export function readHubToken(env: EnvironmentVariables): string {
  const token = env[hubTokenVariable]?.trim()
  if (token) return token
  throw new DrydockError('hub_refused', `${hubTokenVariable} is not set.`, {
    todo: 'On the machine of the hub: drydock hub token add <name> --role worker. Put the token into this variable.',
  })
}
