import type { Readable, Writable } from 'node:stream'

/** A long-running program with open input and output. */
export interface SandboxProgram {
  /** The program and its arguments, as seen inside. */
  readonly argv: readonly [string, ...string[]]
  /** Ports of 127.0.0.1 inside, each with the host's unix socket behind it. */
  readonly ports: readonly { readonly port: number; readonly socket: string }[]
}

export interface RunningProgram {
  readonly stdin: Writable
  readonly stdout: Readable
  /** The end of the program's standard error, at most 8 KiB. */
  lastWords(): string
  /** Resolves when the program and every process that it started are dead. */
  readonly ended: Promise<ProgramEnd>
  /** Kills everything that is alive inside, and waits for its end. */
  close(): Promise<void>
}

export interface ProgramEnd {
  /** Null if the program was killed. */
  readonly exitCode: number | null
  /** The message for a program that was killed because it left too little space on a disk. */
  readonly spaceTaken: string | null
}
