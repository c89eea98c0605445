import type { Clock } from '../ports/clock.ts'
import type { Transaction } from '../ports/store.ts'
import { endLane } from './answer-lane.ts'
import { list } from './machines.ts'

/** Ends every lane, scout query and verification of a Run that is still open, so that nothing of them can be committed any more. */
export async function endWork(tx: Transaction, clock: Clock, run: string): Promise<void> {
  for (const lane of await list(tx, 'lane', { run })) await endLane(tx, clock, lane.id)
  for (const query of await list(tx, 'scout_query', { run, states: ['ASKED', 'RUNNING'] })) {
    await tx.updateMachine(query, { state: 'CANCELLED', data: query.data })
  }
  for (const verification of await list(tx, 'verification', { run, states: ['REQUESTED'] })) {
    await tx.updateMachine(verification, { state: 'CANCELLED', data: verification.data })
  }
}
