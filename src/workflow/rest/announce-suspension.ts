import { type Lane, type LaneData, suspensionOf } from '../../domain/lane/lane.ts'
import type { Transaction } from '../../ports/store.ts'

/**
 * Announces that a lane starts to wait for its provider, and that it continues, but not each retry
 * in between.
 */
export async function announceSuspension(tx: Transaction, lane: Lane, next: Pick<LaneData, 'rest'>): Promise<void> {
  const suspended = suspensionOf(next)
  if ((suspensionOf(lane.data) === null) === (suspended === null)) return
  const { run, story } = lane
  const { key } = lane.data
  if (suspended === null) await tx.appendEvent({ run, story, type: 'resumed', data: { lane: key } })
  else await tx.appendEvent({ run, story, type: 'suspended', data: { lane: key, ...suspended } })
}
