import type { Priority } from '../domain/share/priority.ts'

/** The options of a command that starts or continues work. The configuration decides the rest. */
export interface WorkOptions {
  readonly model?: string
  readonly architectModel?: string
  readonly editorModel?: string
  readonly scoutModel?: string
  readonly target?: string
  readonly maxCoders?: number
  readonly budgetUsd?: number
  /** Seconds that a Run waits for a provider. */
  readonly maxWait?: number
  readonly priority?: Priority
  /** Ids of tests that may fail as long as they fail on the base commit as well. */
  readonly allowFailing?: readonly string[]
  /** Path of a configuration file. */
  readonly config?: string
}
