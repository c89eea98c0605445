import type { Drydock } from '../../app/drydock.ts'
import type { Installation } from '../../app/installation.ts'
import type { Opening } from '../../app/opening.ts'
import type { EnvironmentVariables } from '../../config/environment.ts'
import type { Command } from '../../domain/command.ts'

type Listener = (signal: NodeJS.Signals) => void

/** A Run about to be stored, once by its key. */
export interface Beginning {
  readonly key: string
  readonly command: Extract<Command, { kind: 'start' }>
}

/** The process that a command was given in, which may be another one than does it. */
export interface Host {
  /** Where relative paths of the command start. */
  cwd(): string
  on(signal: NodeJS.Signals, listener: Listener): void
  off(signal: NodeJS.Signals, listener: Listener): void
  /** Ends the command at once; nothing that it says afterwards is heard. */
  exit(code: number): void
  open(opening: Opening): Promise<Drydock>
  /** Reads receipts with the user's configuration alone. Throws DrydockError `bad_config`. */
  openReceipts(env: EnvironmentVariables): ReturnType<Installation['openReceipts']>
  /**
   * Resolves with what is to be stored, once that process could go on with it alone: as a rule what
   * is given, or what it began before. Rejects when it has gone.
   */
  begin(beginning: Beginning): Promise<Beginning>
  /** Events up to this one were shown there before. */
  readonly after: number
  shown(event: number): void
  /** Aborted when that process has gone: nobody follows any more, and nothing is stopped. */
  readonly gone: AbortSignal | null
}

/** This very process. */
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
