import type { Kysely } from 'kysely'
import type { MachineKind } from '../../domain/machine.ts'
import type { Job } from '../../ports/jobs.ts'
import type { Tables } from './tables.ts'

/** All jobs, or those of one Run, in the order in which they were queued. */
export async function readJobs(db: Kysely<Tables>, run?: string): Promise<readonly Job[]> {
  let query = db
    .selectFrom('jobs')
    .innerJoin('machines', 'machines.id', 'jobs.machine')
    .selectAll('jobs')
    .select('machines.run')
    .orderBy('jobs.id')
  if (run !== undefined) query = query.where('machines.run', '=', run)
  return (await query.execute()).map((row) => ({
    id: row.id,
    kind: row.queue as MachineKind,
    machine: row.machine,
    run: row.run,
    version: row.version,
    runAt: row.run_at,
  }))
}
