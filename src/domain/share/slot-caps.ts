/**
 * As in the user's file: the most slots that one user and one Run may hold at once; left out for
 * as many as there are.
 */
export interface SlotCaps {
  readonly per_user?: number
  readonly per_run?: number
}
