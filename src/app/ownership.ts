import type { DatabaseUrl } from '../config/database/database-url.ts'
import type { CopiedState } from '../ports/copied-state.ts'
import type { Owner, OwnOptions } from '../ports/owner.ts'
import type { GarbageCount } from '../workflow/run/collect-garbage.ts'

/** The process that works on the state, and the upkeep that only it may do. */
export interface Ownership {
  /** Makes an empty state unless there is one, for a server that reads it at once. */
  ensureState(): Promise<void>
  /**
   * Names the configured server; null for a state in a file. Rejects with the DrydockError of a
   * server that cannot be used.
   */
  checkDatabase(): Promise<string | null>
  /** Copies the state into its file, or to a server; null while another process owns the state. */
  copyState(to: 'sqlite' | DatabaseUrl): Promise<CopiedState | null>
  /** Loads the code of the owner beside other work, unless another process owns the state. */
  expectToOwn(): Promise<void>
  /** Becomes the owner and takes up the requested work; null while another process owns it. */
  own(options: OwnOptions): Promise<Owner | null>
  /** Takes the right to watch the forge; null while another process has it. */
  lockForgeWatch(): Promise<{ release(): void } | null>
  /** Removes expired files and refs; null while another process owns the state and does so. */
  collect(signal: AbortSignal): Promise<GarbageCount | null>
  /** The size in bytes of each part of the state, by its name. */
  sizes(): Promise<Readonly<Record<string, number>>>
}
