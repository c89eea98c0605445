import type { Lane } from '../../domain/lane/lane.ts'
import type { Job, Transaction } from '../../ports/store.ts'
import type { WorkflowDependencies } from '../dependencies.ts'
import { list } from '../machines.ts'

/**
 * A new process knows nothing of what its providers answered another: lanes that wait for one
 * simply ask.
 */
export async function wakeSuspended({ engine, store, clock }: WorkflowDependencies): Promise<void> {
  const now = clock.now().toISOString()
  const later = (await store.jobs()).filter(({ runAt }) => runAt > now)
  const jobs = new Map(later.map((job) => [job.machine, job]))
  const lanes = (await list(store, 'lane', { states: ['ASKING'] })).filter(({ data }) => data.suspended !== null)
  const waiting = lanes.flatMap((lane) => {
    const job = jobs.get(lane.id)
    return job === undefined ? [] : { lane, job }
  })
  if (waiting.length > 0) await engine.transact((tx) => queueNow(tx, waiting))
}

async function queueNow(
  tx: Transaction,
  waiting: readonly { readonly lane: Lane; readonly job: Job }[],
): Promise<void> {
  for (const { lane, job } of waiting) {
    await tx.endJob(job.id)
    await tx.enqueue(lane)
  }
}
