import type { DrydockError } from '../domain/drydock-error.ts'

/** How a process that works on a state waits for the server of its rows. */
export interface ServerWait {
  /**
   * The server has been away for longer than a command waits. Returns whether it is waited for all
   * the same. Called again and again.
   */
  goesOn(why: DrydockError): boolean
  /** The server has answered. */
  answered(): void
}
