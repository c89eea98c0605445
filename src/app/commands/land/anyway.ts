import type { Anyway, LandingGoal } from '../../../domain/landing/landing.ts'
import { withAnyway } from '../../../domain/verification/receipt.ts'
import type { ReceiptReader } from '../../../ports/receipts.ts'
import type { Installation } from '../../installation.ts'
import { reading } from '../../reading.ts'
import type { RecordSource, StateAccess } from '../../state-access.ts'
import { whoHolds } from '../../text/holds-text.ts'
import { holdKey, holdsFor } from '../../views/finish/holds.ts'
import { authorOf } from '../author-of.ts'
import { type Landable, type LandableQuery, readBuilt, readLandable } from './landable.ts'

interface AnywayRequest {
  readonly id: string | undefined
  readonly goal: LandingGoal['kind']
  /** Null if the person did not ask to land anyway. */
  readonly reason: string | null
  /** The name of the person on a hub; null elsewhere. */
  readonly by: string | null
}

/** The override that lands a held result; null if nothing holds the result. */
export async function anywayOf(
  drydock: Pick<Installation, 'userRepository'> & RecordSource,
  { id, goal, reason, by }: AnywayRequest,
): Promise<Anyway | null> {
  if (reason === null) return null
  const holds = holdsFor((await reading(drydock, (records) => readBuilt(records, id))).holds, goal)
  if (holds.length === 0) return null
  return { reason, by: await authorOf(drydock, by), held_by: whoHolds(holds), over: holds.map(holdKey) }
}

/**
 * Signs the result's receipt again, with the person who lands it and the holds that were
 * overridden. This precedes the landing, so that no result lands without that note.
 */
export async function noteAnyway(
  drydock: Pick<Installation, 'repository' | 'userRepository' | 'publisher' | 'receipts'> &
    Pick<StateAccess, 'openRecords' | 'atHub'>,
  receipts: ReceiptReader,
  { landable, anyway, goal }: Pick<LandableQuery, 'goal'> & { readonly landable: Landable; readonly anyway: Anyway },
): Promise<Landable> {
  const { receipt, sha, run } = landable
  const signed = withAnyway(receipt, anyway)
  if (JSON.stringify(signed.landed_anyway) === JSON.stringify(receipt.landed_anyway)) return landable
  const { text } = await drydock.receipts.keep(signed, { anew: true })
  await drydock.publisher.note({ sha, text, at: new Date(receipt.made_at) })
  return readLandable(drydock, receipts, { id: run.id, goal, anyway })
}
