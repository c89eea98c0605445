export interface ProgramExit {
  /** null when a signal ended it. */
  readonly code: number | null
  readonly signal: string | null
  /** Why it could not be started. */
  readonly error: Error | null
}

export interface RunningProgram {
  /** Signals it and what it started. */
  end(signal: NodeJS.Signals): void
  /** Never rejects. After `end`, nothing of its process group is left when it resolves. */
  readonly ended: Promise<ProgramExit>
}
