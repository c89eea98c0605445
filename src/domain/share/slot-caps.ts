/**
 * The setting of the user's file: the most slots that one user and one Run may hold at once; left
 * out for no bound.
 */
export interface SlotCaps {
  readonly per_user?: number
  readonly per_run?: number
}
