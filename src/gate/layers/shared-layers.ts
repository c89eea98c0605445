import type { Layer } from '../../ports/artifacts.ts'

/** The layers of base commits that the machines of a state give to each other. */
export interface SharedLayers {
  /**
   * Fetches a layer that another machine has made; null if it has to be made here. Takes a bounded
   * time, and rejects only with the signal's reason.
   */
  fetch(layer: Pick<Layer, 'key' | 'outputs'> & MadeBy, signal: AbortSignal): Promise<Layer | null>
  /** Offers a local layer to others, in the background. */
  offer(layer: Pick<Layer, 'key'> & MadeBy): void
}

/** Parts of a layer's identity in addition to its key, which is valid on one machine only. */
export interface MadeBy {
  /** See Sandbox.programs. */
  readonly programs: () => Promise<string>
}
