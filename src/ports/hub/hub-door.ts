import type { SharedState } from '../../domain/worker/shared-state.ts'

/** The hub as a worker asks it. */
export interface HubDoor {
  /**
   * What is the same for the whole state. DrydockError `hub_unreachable`, `hub_refused` for a token
   * that lets nobody in, and what the hub answers instead.
   */
  sharedState(signal?: AbortSignal): Promise<SharedState>
  /** Its addresses; first the one that has answered last. */
  urls(): readonly string[]
}
