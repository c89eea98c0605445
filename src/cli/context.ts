import type { WorkOptions } from '../app/work-options.ts'
import type { Output, Terminal } from './screen/output.ts'

/** Options that every command takes, as commander hands them over. */
export interface CommonOptions extends WorkOptions {
  readonly repo?: string
  readonly json?: boolean
  readonly sandbox?: 'bubblewrap' | 'docker' | 'podman'
  /** File that the models' replies are written into. */
  readonly record?: string
  /** True with --ui, false with --no-ui. */
  readonly ui?: boolean
  /** Address of a hub; false for a command that works on this machine alone, and with --no-hub. */
  readonly hub?: string | false
  /** True with --wait, false with --no-wait. */
  readonly wait?: boolean
}

/** Where a command runs and speaks. */
export interface Context {
  readonly terminal: Terminal
  readonly output: Output
}
