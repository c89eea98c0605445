import type { Asked } from '../domain/scope.ts'

/** How a process becomes the owner of a state. */
export interface OwnOptions {
  readonly coders: number
  readonly onFailure: (error: unknown) => void
  /** The Runs that are worked on; all by default. */
  readonly asked?: Asked
  /** Not on any other either when somebody asks for it. */
  readonly only?: boolean
}

/** A process while it is the owner. */
export interface Owner {
  onChange(listener: () => void): void
  /** Looks for commands. */
  wake(): void
  stop(options: { readonly drain: boolean }): Promise<void>
}

/** What an owner says of itself. */
export interface OwnerFacts {
  readonly pid: number
  /** The Runs that it works on. */
  readonly asked: Asked
  /** It works on these Runs only, whoever asks for more. */
  readonly only: boolean
}

/** A connection to the process that is the owner. */
export interface OwnerConnection {
  /** Of the owner as it was when this process connected; null when they are not known. */
  readonly facts: OwnerFacts | null
  /** Has the owner look for commands. */
  wake(): void
  /** Asks the owner to work on these Runs, too. */
  ask(asked: Asked): void
  close(): void
}

/** What a connection tells. */
export interface Connecting {
  /** Something was committed. */
  readonly change: () => void
  readonly gone: () => void
  /** Called again and again while the owner is alive. */
  readonly alive?: () => void
}
