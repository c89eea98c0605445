import type { RunModels } from '../../domain/run/run-models.ts'
import type { Installation } from '../installation.ts'
import type { StateAccess } from '../state-access.ts'
import type { WorkOptions } from '../work-options.ts'
import { type ConfigCheck, checkConfig } from './check-config.ts'
import { checkModels } from './check-models.ts'

interface Needs {
  /** True if the configuration must name steps. */
  readonly steps: boolean
  /** The roles whose models are called; null for none. */
  readonly roles: Parameters<typeof checkModels>[2] | null
}

/** The checked setup of this machine. */
export interface Ready {
  readonly checked: ConfigCheck
  readonly models: RunModels | null
}

/**
 * Checks everything that could stop new work, while nothing is stored yet. Null at a hub, which
 * runs these checks with its own configuration and keys. Throws DrydockErrors.
 */
export async function readyFor(
  drydock: Pick<Installation, 'env' | 'user' | 'userRepository' | 'model' | 'agent' | 'readConfig'> &
    Pick<StateAccess, 'atHub'>,
  options: WorkOptions,
  { steps, roles }: Needs,
): Promise<Ready | null> {
  if (drydock.atHub !== null) return null
  const checked = await checkConfig(drydock, options, steps)
  return { checked, models: roles === null ? null : checkModels(drydock, options, roles) }
}
