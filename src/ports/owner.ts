import type { DrydockError } from '../domain/drydock-error.ts'
import type { RunScope } from '../domain/scope.ts'
import type { LiveWorkFeed } from './live-work.ts'

/** Options of a process that becomes the owner of a state. */
export interface OwnOptions {
  readonly coders: number
  readonly onFailure: (error: unknown) => void
  /** Called with the reason for a wait. */
  readonly onNote?: (text: string) => void
  /** The Runs to work on; all by default. */
  readonly asked?: RunScope
  /**
   * True if the owner stays when nothing is left to do, and retries what the infrastructure has
   * stopped.
   */
  readonly stays?: boolean
  /** True if the owner shares the state with workers of other machines, if possible. */
  readonly shared?: boolean
  /** True if the owner works on no other Run, even if another process asks for it. */
  readonly only?: boolean
  /** The address of the hub that is this owner. */
  readonly url?: string
}

/** A process while it owns a state. */
export interface Owner {
  onChange(listener: () => void): void
  /** Makes the owner look for new commands. */
  wake(): void
  stop(options: { readonly drain: boolean }): Promise<void>
}

/** The facts that an owner publishes about itself. */
export interface OwnerFacts {
  readonly pid: number
  /** The Runs that the owner works on. */
  readonly asked: RunScope
  /** True if the owner refuses to work on other Runs. */
  readonly only: boolean
  /** The address of the owner, if it is a hub. */
  readonly url?: string
}

/** A connection to the process that owns the state. */
export interface OwnerConnection {
  /** The owner's facts at the time of connecting; null when they are unknown. */
  readonly facts: OwnerFacts | null
  /** Makes the owner look for new commands. */
  wake(): void
  /** Asks the owner to work on these Runs as well. */
  ask(asked: RunScope): void
  /** Starts or stops live updates of the lanes. */
  look(isLooking: boolean): void
  close(): void
}

/** Callbacks of a connection. */
export interface Connecting {
  /** Called after something was committed. */
  readonly change: () => void
  /** The owner has exited. */
  readonly gone: () => void
  /** Called repeatedly while the owner is alive. */
  readonly alive?: () => void
  /**
   * Called during `look` with the lanes' activity (`LiveChanges`) from another process, unchecked;
   * null if it is invalid.
   */
  readonly seen?: (changes: unknown) => void
}

/** The place at which a process listens while it owns a state. */
export interface OwnerSocket {
  /** Tells all followers of a commit. */
  announce(): void
  /** Publishes changed facts of the owner. */
  keepFacts(): Promise<void>
  close(): Promise<void>
}

/** Callbacks of those who connect to the owner. */
export interface Listening {
  readonly facts: () => OwnerFacts
  /** Asks the owner to look for commands. */
  readonly wake: () => void
  /** A follower asks for work on these Runs. */
  readonly ask: (asked: RunScope) => void
  /** The lanes' present activity, for followers that look. */
  readonly live: LiveWorkFeed
}

/** The patience of a working process while the server of its rows is away. */
export interface ServerWait {
  /**
   * Called repeatedly once the server has been away for longer than a command waits. Returns true
   * to keep waiting.
   */
  goesOn(why: DrydockError): boolean
  /** The server has answered. */
  answered(): void
}
