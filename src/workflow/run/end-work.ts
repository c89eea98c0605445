import { laneTable, writesTests } from '../../domain/lane/lane.ts'
import { statesWith } from '../../domain/machine.ts'
import type { AnyMachine } from '../../domain/machines.ts'
import { mergeTable } from '../../domain/merge/merge.ts'
import { requestTable } from '../../domain/request/request.ts'
import { scoutQueryTable } from '../../domain/scout/scout-query.ts'
import { verificationTable } from '../../domain/verification/verification.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Transaction } from '../../ports/store.ts'
import { endLane } from '../lane/answer-lane.ts'

/** The work to end: that of one story, or with `story` null that of the whole Run. */
export interface Ending {
  readonly run: string
  readonly story: string | null
}

/**
 * Ends every open lane, scout query, verification, request and merge, so that none of them can
 * commit any more.
 */
export async function endWork(tx: Transaction, clock: Clock, { run, story }: Ending): Promise<void> {
  const ofStory = <M extends { readonly story: string | null }>(machines: readonly M[]) =>
    story === null ? machines : machines.filter((machine) => machine.story === story)
  const lanes = await tx.machines({ kind: 'lane', run, states: statesWith(laneTable, 'ended') })
  // The tests of a story end together with the story instead (`followAcceptance`).
  const ending = ofStory(lanes).filter(({ data }) => story === null || !writesTests(data.role))
  for (const lane of ending) await endLane(tx, clock, lane.id)
  const open: AnyMachine[] = [
    ...(await tx.machines({ kind: 'scout_query', run, states: statesWith(scoutQueryTable, 'cancelled') })),
    ...(await tx.machines({ kind: 'verification', run, states: statesWith(verificationTable, 'cancelled') })),
    ...(await tx.machines({ kind: 'request', run, states: statesWith(requestTable, 'cancelled') })),
    ...(await tx.machines({ kind: 'merge', run, states: statesWith(mergeTable, 'cancelled') })),
  ]
  if (story === null)
    open.push(...(await tx.machines({ kind: 'acceptance', run, states: ['WRITING', 'READING', 'TRYING'] })))
  for (const machine of ofStory(open)) await tx.move(machine, 'cancelled', { next: 'rest' })
}
