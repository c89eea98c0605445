import type { EnvironmentVariables } from '../config/environment.ts'
import type { RunFlags } from '../config/load.ts'

/** The Drydock that is attacked, as its user has it. */
export interface Installation {
  /** What starts it, in front of a command's own arguments. */
  readonly command: readonly string[]
  readonly env: EnvironmentVariables
  readonly flags: RunFlags
}
