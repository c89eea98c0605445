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
