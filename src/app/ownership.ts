import type { DatabaseUrl } from '../config/database/database-url.ts'
import type { CopiedState } from '../ports/copied-state.ts'
import type { Owner, OwnOptions } from '../ports/owner.ts'
import type { GarbageCount } from '../workflow/run/collect-garbage.ts'

/**
 * The methods of the process that owns the state, and the maintenance that only an owner may do.
 */
export interface Ownership {
  /** Creates an empty state unless one exists, for a server that reads it immediately. */
  ensureState(): Promise<void>
  /**
   * Checks the configured database and returns its name; null for a state in a file. Rejects with
   * the DrydockError of a server that cannot be used.
   */
  checkDatabase(): Promise<string | null>
  /** Copies the state into its file, or to a server; null while another process owns the state. */
  copyState(to: 'sqlite' | DatabaseUrl): Promise<CopiedState | null>
  /**
   * Starts to load the owner's code in parallel with other work, unless another process owns the
   * state.
   */
  expectToOwn(): Promise<void>
  /** Becomes the owner and starts the requested work; null while another process owns the state. */
  own(options: OwnOptions): Promise<Owner | null>
  /** Takes the lock for watching the forge; null while another process holds it. */
  lockForgeWatch(): Promise<{ release(): void } | null>
  /**
   * Removes expired files and refs; null while another process owns the state, since that owner
   * collects them.
   */
  collect(signal: AbortSignal): Promise<GarbageCount | null>
  /** The size in bytes of each part of the state, by its name. */
  sizes(): Promise<Readonly<Record<string, number>>>
}
