import type { Lane, LaneData } from '../../domain/lane/lane.ts'
import type { Transaction } from '../../ports/store.ts'

/**
 * Tells that a lane begins to wait for its provider, and that it goes on; not each time that it
 * asks in between.
 */
export async function announceSuspension(tx: Transaction, lane: Lane, { suspended }: LaneData): Promise<void> {
  if ((lane.data.suspended === null) === (suspended === null)) return
  const { run, story } = lane
  const { key } = lane.data
  if (suspended === null) await tx.appendEvent({ run, story, type: 'resumed', data: { lane: key } })
  else await tx.appendEvent({ run, story, type: 'suspended', data: { lane: key, ...suspended } })
}
