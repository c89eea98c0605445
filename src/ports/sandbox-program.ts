import type { Readable, Writable } from 'node:stream'

/** A program that goes on and is spoken to. */
export interface SandboxProgram {
  /** The program and its arguments, as seen inside. */
  readonly argv: readonly [string, ...string[]]
  /** Ports of 127.0.0.1 inside, each with the unix socket of the host that it leads to. */
  readonly ports: readonly { readonly port: number; readonly socket: string }[]
}

export interface RunningProgram {
  readonly stdin: Writable
  readonly stdout: Readable
  /** The end of what it wrote to its standard error, at most 8 KiB. */
  lastWords(): string
  /** Resolves when it and every process that it started are dead. */
  readonly ended: Promise<ProgramEnd>
  /** Kills what is alive inside, and waits until all is dead. */
  close(): Promise<void>
}

export interface ProgramEnd {
  /** Null when it was killed. */
  readonly exitCode: number | null
  /** What is said of a program that was killed because it left too little space on a disk. */
  readonly spaceTaken: string | null
}
