import type { Kysely } from 'kysely'
import type { MachineKind } from '../../domain/machine.ts'
import type { SlotData } from '../../domain/slot/slot.ts'
import type { Job } from '../../ports/jobs.ts'
import { prepared } from './prepared.ts'
import type { Tables } from './tables.ts'

const allJobs = prepared<object>()((db) => jobRows(db))
const jobsOfRun = prepared<{ run: string }>()((db, { run }) => jobRows(db).where('machines.run', '=', run))
const slots = prepared<object>()((db) => db.selectFrom('machines').select('data').where('kind', '=', 'slot'))

/** All jobs, or those of one Run, in the order in which they were queued. */
export async function readJobs(db: Kysely<Tables>, run?: string): Promise<readonly Job[]> {
  return (await rowsOf(db, run)).map(jobOf)
}

/** Those that a worker on this host may take: all, or those with these ids. */
export async function readJobsFor(db: Kysely<Tables>, host: string, ids?: readonly number[]): Promise<readonly Job[]> {
  const read = ids === undefined ? rowsOf(db) : jobRows(db).where('jobs.id', 'in', ids).execute()
  const [rows, elsewhere] = await Promise.all([read, heldElsewhere(db, host)])
  return rows.filter(({ run, story }) => !elsewhere.has(holderKey(run, story))).map(jobOf)
}

async function rowsOf(db: Kysely<Tables>, run?: string) {
  return (run === undefined ? await allJobs(db, {}) : await jobsOfRun(db, { run })).rows
}

function jobRows(db: Kysely<Tables>) {
  return db
    .selectFrom('jobs')
    .innerJoin('machines', 'machines.id', 'jobs.machine')
    .selectAll('jobs')
    .select(['machines.run', 'machines.story'])
    .orderBy('jobs.id')
}

function jobOf({ id, queue, machine, run, version, run_at }: Awaited<ReturnType<typeof rowsOf>>[number]): Job {
  return { id, kind: queue as MachineKind, machine, run, version, runAt: run_at }
}

/** The Runs and stories that hold a slot on another host. */
async function heldElsewhere(db: Kysely<Tables>, host: string): Promise<ReadonlySet<string>> {
  const offered = (await slots(db, {})).rows.map(({ data }) => JSON.parse(data) as SlotData)
  const elsewhere = new Set(offered.filter((slot) => slot.host !== host).map(({ name }) => name))
  if (elsewhere.size === 0) return new Set()
  const holders = await db
    .selectFrom('machines')
    .select(['run', 'story', 'data'])
    .where('kind', 'in', ['run', 'story'])
    .where('data', 'like', '%"slot":"%')
    .execute()
  const isElsewhere = (data: string) => elsewhere.has((JSON.parse(data) as { readonly slot?: string }).slot ?? '')
  return new Set(holders.filter(({ data }) => isElsewhere(data)).map(({ run, story }) => holderKey(run, story)))
}

function holderKey(run: string, story: string | null): string {
  return JSON.stringify([run, story])
}
