import { isEnded, type Run } from '../../domain/run/run.ts'
import type { Transaction } from '../../ports/store.ts'

/** Wakes the landings that wait for this Run, if it has verified a merge. */
export async function wakeLandings(tx: Transaction, { id, state, data: { request } }: Run): Promise<void> {
  if (!isEnded(state) || request.kind !== 'verify' || request.asMerge !== true) return
  for (const landing of await tx.machines({ kind: 'landing', states: ['VERIFYING'] }))
    if (landing.data.verification === id) await tx.queue(landing)
}
