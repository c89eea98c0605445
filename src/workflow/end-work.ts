import type { Clock } from '../ports/clock.ts'
import type { Transaction } from '../ports/store.ts'
import { endLane } from './answer-lane.ts'
import { list } from './machines.ts'

/** What is ended: the work of one story, or with `story` null that of a whole Run. */
export interface Ending {
  readonly run: string
  readonly story: string | null
}

/** Ends every lane, scout query, verification, request and merge that is still open, so that nothing of them can be committed any more. */
export async function endWork(tx: Transaction, clock: Clock, { run, story }: Ending): Promise<void> {
  const ofStory = <M extends { readonly story: string | null }>(machines: readonly M[]) =>
    story === null ? machines : machines.filter((machine) => machine.story === story)
  const lanes = await list(tx, 'lane', { run, states: ['ASKING', 'ACTING', 'WAITING'] })
  for (const lane of ofStory(lanes)) await endLane(tx, clock, lane.id)
  const open = [
    ...(await list(tx, 'scout_query', { run, states: ['ASKED', 'RUNNING'] })),
    ...(await list(tx, 'verification', { run, states: ['REQUESTED'] })),
    ...(await list(tx, 'request', { run, states: ['OPEN', 'ESCALATED'] })),
    ...(await list(tx, 'merge', { run, states: ['QUEUED', 'MERGING'] })),
  ]
  for (const machine of ofStory(open)) {
    await tx.updateMachine<typeof machine>(machine, { state: 'CANCELLED', data: machine.data })
  }
}
