import type { Drydock } from '../../app/drydock.ts'
import type { Installation } from '../../app/installation.ts'
import type { Opening } from '../../app/opening.ts'
import type { EnvironmentVariables } from '../../config/environment.ts'
import type { Command } from '../../domain/command.ts'

type Listener = (signal: NodeJS.Signals) => void

/** A Run that is about to be stored, once by its key. */
export interface Beginning {
  readonly key: string
  readonly command: Extract<Command, { kind: 'start' }>
}

/** The process where a command was typed. It may differ from the process that does the command. */
export interface Host {
  /** The folder where relative paths of the command start. */
  cwd(): string
  on(signal: NodeJS.Signals, listener: Listener): void
  off(signal: NodeJS.Signals, listener: Listener): void
  /** Ends the command at once; later output is discarded. */
  exit(code: number): void
  open(opening: Opening): Promise<Drydock>
  /** Reads receipts with the user's configuration alone. Throws DrydockError `bad_config`. */
  openReceipts(env: EnvironmentVariables): ReturnType<Installation['openReceipts']>
  /**
   * Resolves with the Run to store as soon as the host could continue it alone: normally the given
   * one, or one that it had already begun. Rejects when the host has gone.
   */
  begin(beginning: Beginning): Promise<Beginning>
  /** The id of the last event that the host has already shown. */
  readonly after: number
  shown(event: number): void
  /** Aborted when the host has gone: nobody follows any more, but the work continues. */
  readonly gone: AbortSignal | null
}

/** The host for a command that was typed in this process. */
export const thisProcess: Host = {
  cwd: () => process.cwd(),
  on: (signal, listener) => void process.on(signal, listener),
  off: (signal, listener) => void process.off(signal, listener),
  exit: (code) => process.exit(code),
  open: async (opening) => (await import('../../compose.ts')).openDrydock(opening),
  openReceipts: async (env) => (await import('../../compose.ts')).openReceipts(env),
  begin: async (beginning) => beginning,
  after: 0,
  shown: () => undefined,
  gone: null,
}
