import type { DrydockError } from '../../domain/drydock-error.ts'
import type { Lane } from '../../domain/lane/lane.ts'
import type { Amount, Cap } from '../../domain/run/budget.ts'
import type { ModelError } from '../../ports/model.ts'
import type { CallAccount } from '../../ports/model-gateway.ts'

/** What stands in the way of a lane's calls. */
export type Obstacle =
  | { readonly type: 'budget'; readonly cap: Cap; readonly wanted: Amount }
  | { readonly type: 'no_price'; readonly error: DrydockError }
  /** The provider refused or broke the call, or answers nobody (`suspended`). */
  | { readonly type: 'provider'; readonly failure: ModelError }

/** Where the calls are paid that a foreign agent makes in a lane. */
export interface LaneAccount extends CallAccount {
  /** Null while nothing does. */
  obstacle(): Obstacle | null
}

export async function openCallAccount(
  _: unknown,
  __: { readonly lane: Lane; readonly provider: string },
): Promise<LaneAccount> {
  throw new Error('not yet')
}
