import type { DrydockError } from '../domain/drydock-error.ts'
import type { Asked } from '../domain/scope.ts'
import type { LiveWorkFeed } from './live-work.ts'

/** How a process becomes the owner of a state. */
export interface OwnOptions {
  readonly coders: number
  readonly onFailure: (error: unknown) => void
  /** Told what the work waits for. */
  readonly onNote?: (text: string) => void
  /** The Runs to work on; all by default. */
  readonly asked?: Asked
  /** Stays when nothing is left to do, and tries again what the infrastructure has stopped. */
  readonly stays?: boolean
  /** Shares the state with workers of other machines, where it can be shared. */
  readonly shared?: boolean
  /** Works on no other Run, even if another process asks for it. */
  readonly only?: boolean
  /** Where a hub is reached that is this owner. */
  readonly url?: string
}

/** A process while it owns a state. */
export interface Owner {
  onChange(listener: () => void): void
  /** Looks for new commands. */
  wake(): void
  stop(options: { readonly drain: boolean }): Promise<void>
}

/** The facts that an owner publishes about itself. */
export interface OwnerFacts {
  readonly pid: number
  /** The Runs that the owner works on. */
  readonly asked: Asked
  /** Whether the owner refuses to work on other Runs. */
  readonly only: boolean
  /** Of a hub: where it is reached. */
  readonly url?: string
}

/** A connection to the process that owns the state. */
export interface OwnerConnection {
  /** The owner's facts at the time of connecting; null when they are not known. */
  readonly facts: OwnerFacts | null
  /** Makes the owner look for new commands. */
  wake(): void
  /** Asks the owner to work on these Runs as well. */
  ask(asked: Asked): void
  /** Wants to be told what lanes do at this moment, or no longer. */
  look(isLooking: boolean): void
  close(): void
}

/** Callbacks of a connection. */
export interface Connecting {
  /** Something was committed. */
  readonly change: () => void
  /** The owner has gone. */
  readonly gone: () => void
  /** Called repeatedly while the owner is alive. */
  readonly alive?: () => void
  /**
   * While it looks: what lanes do (`LiveChanges`), as another process says it; null for what is
   * none.
   */
  readonly seen?: (changes: unknown) => void
}

/** The place at which a process listens while it owns a state. */
export interface OwnerSocket {
  /** Tells everyone who follows that something was committed. */
  announce(): void
  /** It works on something else from now on. */
  keepFacts(): Promise<void>
  close(): Promise<void>
}

/** Callbacks of those who connect to the owner. */
export interface Listening {
  readonly facts: () => OwnerFacts
  /** There are commands to be looked for. */
  readonly wake: () => void
  /** Somebody follows these Runs, and asks for their work. */
  readonly ask: (asked: Asked) => void
  /** What its lanes do at this moment, for followers that look. */
  readonly live: LiveWorkFeed
}

/** The wait of a process that works on a state for the server of its rows. */
export interface ServerWait {
  /**
   * The server has been away for longer than a command waits. Returns whether it is waited for all
   * the same. Called again and again.
   */
  goesOn(why: DrydockError): boolean
  /** The server has answered. */
  answered(): void
}
