import { type Kysely, sql } from 'kysely'
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

/** Those that a worker on this host may take. */
export async function readJobsFor(db: Kysely<Tables>, host: string): Promise<readonly Job[]> {
  const [jobs, elsewhere] = [await readJobs(db), await heldElsewhere(db, host)]
  if (elsewhere.size === 0) return jobs
  const stories = new Map(
    (
      await db
        .selectFrom('machines')
        .innerJoin('jobs', 'jobs.machine', 'machines.id')
        .select(['machines.id', 'story'])
        .execute()
    ).map(({ id, story }) => [id, story]),
  )
  return jobs.filter(({ machine, run }) => !elsewhere.has(holderKey(run, stories.get(machine) ?? null)))
}

/** The Runs and stories that hold a slot on another host. */
async function heldElsewhere(db: Kysely<Tables>, host: string): Promise<ReadonlySet<string>> {
  const name = sql<string>`json_extract(data, '$.name')`
  const slots = await db
    .selectFrom('machines')
    .select(name.as('name'))
    .where('kind', '=', 'slot')
    .where(sql<string>`json_extract(data, '$.host')`, '!=', host)
    .execute()
  if (slots.length === 0) return new Set()
  const holders = await db
    .selectFrom('machines')
    .select(['run', 'story'])
    .where('kind', 'in', ['run', 'story'])
    .where(
      sql<string>`json_extract(data, '$.slot')`,
      'in',
      slots.map((slot) => slot.name),
    )
    .execute()
  return new Set(holders.map(({ run, story }) => holderKey(run, story)))
}

function holderKey(run: string, story: string | null): string {
  return JSON.stringify([run, story])
}
