import type { WorkflowDependencies } from './dependencies.ts'
import { list } from './machines.ts'

/** A new process knows nothing of what its providers answered another: lanes that wait for one simply ask. */
export async function wakeSuspended({ engine }: WorkflowDependencies): Promise<void> {
  await engine.transact(async (tx) => {
    const jobs = new Map((await tx.jobs()).map((job) => [job.machine, job]))
    for (const lane of await list(tx, 'lane', { states: ['ASKING'] })) {
      const job = jobs.get(lane.id)
      if (lane.data.suspended === null || job === undefined) continue
      await tx.endJob(job.id)
      await tx.enqueue(lane)
    }
  })
}
