import type { Output, Terminal } from './screen/output.ts'

/** Options that every command takes, as commander hands them over. */
export interface CommonOptions {
  readonly repo?: string
  readonly json?: boolean
  readonly model?: string
  readonly architectModel?: string
  readonly editorModel?: string
  readonly scoutModel?: string
  readonly target?: string
  readonly maxCoders?: number
  readonly budgetUsd?: number
  /** Seconds. */
  readonly maxWait?: number
  readonly sandbox?: 'bubblewrap' | 'docker' | 'podman'
  readonly config?: string
  /** File that the models' replies are written into. */
  readonly record?: string
  /** True with --ui, false with --no-ui. */
  readonly ui?: boolean
  /** True with --wait, false with --no-wait. */
  readonly wait?: boolean
}

/** Where a command runs and speaks. */
export interface Context {
  readonly terminal: Terminal
  readonly output: Output
}
