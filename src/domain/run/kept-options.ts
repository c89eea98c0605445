import type { Priority } from '../share/priority.ts'

/** Options of a command that are stored for a Run which starts later. */
export interface KeptOptions {
  readonly model?: string
  readonly architectModel?: string
  readonly editorModel?: string
  readonly scoutModel?: string
  readonly target?: string
  readonly budgetUsd?: number
  /** Seconds. */
  readonly maxWait?: number
  readonly priority?: Priority
  readonly allowFailing?: readonly string[]
  /** The absolute path of the configuration file. */
  readonly config?: string
}
