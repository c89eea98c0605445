import type { Layer } from '../../ports/artifacts.ts'

/** The layers of base commits that the machines of a state give to each other. */
export interface SharedLayers {
  /**
   * The layer that another machine has made, once it is here; null when it has to be made here. It
   * takes a bounded time, and rejects with the signal's reason alone.
   */
  fetch(layer: Pick<Layer, 'key' | 'outputs'> & MadeBy, signal: AbortSignal): Promise<Layer | null>
  /** Gives a layer that is here to others, beside the work. */
  offer(layer: Pick<Layer, 'key'> & MadeBy): void
}

/** What decides about a layer beside its key, which knows one machine alone. */
export interface MadeBy {
  /** See Sandbox.programs. */
  readonly programs: () => Promise<string>
}
