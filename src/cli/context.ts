import type { WorkOptions } from '../app/work-options.ts'
import type { Output, Terminal } from './screen/output.ts'

/** Options that every command takes, as commander parses them. */
export interface CommonOptions extends WorkOptions {
  readonly repo?: string
  readonly json?: boolean
  readonly sandbox?: 'bubblewrap' | 'docker' | 'podman'
  /** File that receives the recording of the models' replies. */
  readonly record?: string
  /** True with `--ui`, false with `--no-ui`. */
  readonly ui?: boolean
  /** Address of a hub; false with `--no-hub`, null for a command that never uses a hub. */
  readonly hub?: string | false | null
  /** True with `--wait`, false with `--no-wait`. */
  readonly wait?: boolean
}

/** Runs one command line and returns its exit code. */
export type RunCommand = (argv: readonly string[], terminal: Terminal) => Promise<number>

/** The environment of a command: its terminal and its output. */
export interface Context {
  readonly terminal: Terminal
  readonly output: Output
  /** Runs a command for another process that was given it; absent outside the installed program. */
  readonly runCommand?: RunCommand
}
