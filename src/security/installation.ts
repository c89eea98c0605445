import type { EnvironmentVariables } from '../config/environment.ts'
import type { RunFlags } from '../config/load.ts'

/** The Drydock to attack, with its user's settings. */
export interface Installation {
  /** The command that starts it, before the arguments. */
  readonly command: readonly string[]
  readonly env: EnvironmentVariables
  readonly flags: RunFlags
}
