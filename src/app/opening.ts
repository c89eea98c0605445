import type { EnvironmentVariables } from '../config/environment.ts'
import type { RunFlags } from '../config/load.ts'
import type { Records } from '../ports/store.ts'
import type { Installation } from './installation.ts'

/** Options for opening a repository. */
export interface Opening {
  /** Any folder of the user's repository. */
  readonly directory: string
  readonly env: EnvironmentVariables
  readonly flags?: RunFlags
  /**
   * Used by tests to set the time, and to act inside each transaction just before or just after its
   * commit.
   */
  readonly clock?: Installation['clock']
  readonly beforeCommit?: (records: Records) => void | Promise<void>
  readonly afterCommit?: () => void
}
