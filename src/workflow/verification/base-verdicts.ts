import type { Lane } from '../../domain/lane/lane.ts'

/**
 * Runs the steps on a Run's base commit alongside its first lane: a red base is reported before
 * much is spent, and the gate finds the result, which is stored by tree for everybody. Nobody waits
 * for it. A check that is lost with its process restarts with the next step of a lane.
 */
export interface BaseVerdicts {
  /** Called while a lane works. */
  beside(lane: Lane): void
  /** Abandons the running check, and starts no more. */
  end(): Promise<void>
}
