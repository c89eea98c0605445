import type { Lane } from '../../domain/lane/lane.ts'

/**
 * The steps on the commit that a Run starts from, beside its first lane: a red base is said before
 * much is spent, and the gate finds the result, which is kept by tree for everybody. Nobody waits
 * for it. What is lost with the process begins again with the next step of a lane.
 */
export interface BaseVerdicts {
  /** A lane is at work. */
  beside(lane: Lane): void
  /** Gives up the one that is under way, and begins none any more. */
  end(): Promise<void>
}
