import type { InfraError } from '../domain/verification/verdict.ts'

export interface SandboxLimits {
  /**
   * Bytes of memory: of the whole sandbox where cgroups allow it, otherwise of one process. The
   * limit of a process covers its data segments, not its address space.
   */
  readonly memoryBytes: number
  /** Bytes of the largest file that a process may write. */
  readonly fileBytes: number
  readonly openFiles: number
  /** Bytes of each tmpfs: /tmp, /dev/shm, /run and the home folder. */
  readonly tmpfsBytes: number
}

export type Probe =
  | {
      readonly ok: true
      readonly enforced: Readonly<
        Record<keyof SandboxLimits | 'network' | 'processes', 'enforced' | 'best effort' | 'not'>
      >
    }
  | { readonly ok: false; readonly error: InfraError }
