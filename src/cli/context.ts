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
  /** Address of a hub; false with --no-hub, null for a command that works at no hub. */
  readonly hub?: string | false | null
  /** True with --wait, false with --no-wait. */
  readonly wait?: boolean
}

/** Runs one command line and returns its exit code. */
export type RunCommand = (argv: readonly string[], terminal: Terminal) => Promise<number>

/** Where a command runs and speaks. */
export interface Context {
  readonly terminal: Terminal
  readonly output: Output
  /** Runs another command, for who was given it elsewhere; left out where there is no program. */
  readonly runCommand?: RunCommand
}
