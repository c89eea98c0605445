import type { StateReader } from './store.ts'

/** The state of one repository of this installation. */
export interface KnownState {
  /** Name of the state's folder, which is derived from the repository's real path. */
  readonly id: string
  /** Folder of the repository; null in a state that only older versions have worked on. */
  readonly repository: string | null
  /** True if that folder is still the repository of this state. */
  readonly isThere: boolean
  /**
   * Reads alongside the state's owner. Close it after use. Throws DrydockError when the state
   * cannot be read.
   */
  openRecords(): StateReader
  /** True if a process owns the state now. */
  isOwned(): Promise<boolean>
}

/** All states of the user on this machine. */
export interface KnownStates {
  states(): Promise<readonly KnownState[]>
}
