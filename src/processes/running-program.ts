export interface ProgramExit {
  /** Null if a signal ended it. */
  readonly code: number | null
  readonly signal: string | null
  /** The reason why it could not start. */
  readonly error: Error | null
}

export interface RunningProgram {
  /** Signals the program and its children. */
  end(signal: NodeJS.Signals): void
  /** Never rejects. After `end`, no process of its group is left when it resolves. */
  readonly ended: Promise<ProgramExit>
}
