import type { EnvironmentVariables } from '../config/environment.ts'
import type { RunFlags } from '../config/load.ts'
import type { Records } from '../ports/store.ts'
import type { Installation } from './installation.ts'

/** With what a repository is opened. */
export interface Opening {
  /** Any folder of the user's repository. */
  readonly directory: string
  readonly env: EnvironmentVariables
  readonly flags?: RunFlags
  /** For tests: the time; inside each transaction right before its commit, and right after. */
  readonly clock?: Installation['clock']
  readonly beforeCommit?: (records: Records) => void | Promise<void>
  readonly afterCommit?: () => void
}
