import type { StateReader } from './store.ts'

/** The state of one repository of this installation. */
export interface KnownState {
  /** Name of its folder, which is made from the repository's real path. */
  readonly id: string
  /** Folder of the repository; null in a state that only older versions have worked on. */
  readonly repository: string | null
  /** Whether that folder is still a repository and still the one of this state. */
  readonly isThere: boolean
  /** Reads beside its owner. Close it after use. DrydockError when it cannot be read. */
  openRecords(): StateReader
  /** Whether a process works on it now. */
  isOwned(): Promise<boolean>
}

/** All states of the user on this machine. */
export interface Installation {
  states(): Promise<readonly KnownState[]>
}
