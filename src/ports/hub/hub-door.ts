import type { SharedState } from '../../domain/worker/shared-state.ts'

/** The hub, as a worker sees it. */
export interface HubDoor {
  /**
   * Everything that is equal for the whole state. Throws DrydockError `hub_unreachable`,
   * `hub_refused` for a token without access, and the hub's own errors.
   */
  sharedState(signal?: AbortSignal): Promise<SharedState>
  /** Addresses of the hub; first the one that has answered last. */
  urls(): readonly string[]
}
