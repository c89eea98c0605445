import type { DatabaseUrl } from '../config/database/database-url.ts'
import type { CopiedState } from '../ports/copied-state.ts'
import type { Owner, OwnOptions } from '../ports/owner.ts'
import type { Collected } from '../workflow/run/collect-garbage.ts'

/** The process that works on the state, and the upkeep that only it may do. */
export interface Ownership {
  /** Makes an empty state, for who serves it and reads it from the first moment on. */
  ensureState(): Promise<void>
  /**
   * What the configured server is, null where the state is kept in a file. DrydockError of what is
   * in the way.
   */
  checkDatabase(): Promise<string | null>
  /** Copies the state into its file, or to a server; null while another process owns the state. */
  copyState(to: 'sqlite' | DatabaseUrl): Promise<CopiedState | null>
  /** Loads what the owner is made of, where no process seems to be it: beside other work. */
  expectToOwn(): Promise<void>
  /** Becomes the owner and takes up the work that was asked for; null while another process is. */
  own(options: OwnOptions): Promise<Owner | null>
  /** The right to watch the forge; null while another process has it. */
  lockForgeWatch(): Promise<{ release(): void } | null>
  /** Removes what is no longer kept; null while another process owns the state and does so. */
  collect(signal: AbortSignal): Promise<Collected | null>
  /** Bytes on the disk of each part of the state, by its name. */
  sizes(): Promise<Readonly<Record<string, number>>>
}
