import { type Kysely, sql } from 'kysely'
import type { MachineKind } from '../../domain/machine.ts'
import type { SlotData } from '../../domain/slot/slot.ts'
import type { VerificationData } from '../../domain/verification/verification.ts'
import type { Job, Taker } from '../../ports/jobs.ts'
import { prepared } from './prepared.ts'
import type { Tables } from './tables.ts'

const allJobs = prepared<object>()((db) => jobRows(db))
const jobsOfRun = prepared<{ run: string }>()((db, { run }) => jobRows(db).where('machines.run', '=', run))
const slots = prepared<object>()((db) => db.selectFrom('machines').select('data').where('kind', '=', 'slot'))

/** All jobs, or those of one Run, in the order in which they were queued. */
export async function readJobs(db: Kysely<Tables>, run?: string): Promise<readonly Job[]> {
  return (await rowsOf(db, run)).map(jobOf)
}

/** Those that somebody may take: all, or those with these ids. */
export async function readJobsFor(
  db: Kysely<Tables>,
  { host, keepsState }: Taker,
  ids?: readonly number[],
): Promise<readonly Job[]> {
  const read = ids === undefined ? rowsOf(db) : jobRows(db).where('jobs.id', 'in', ids).execute()
  const [rows, elsewhere] = await Promise.all([read, heldElsewhere(db, host)])
  return rows.filter((row) => (isOfState(row) ? keepsState : !elsewhere.has(holderKey(row.run, row.story)))).map(jobOf)
}

/** What is done for the state itself, wherever the workspace of its story lies. */
function isOfState({ queue, verification }: Awaited<ReturnType<typeof rowsOf>>[number]): boolean {
  if (verification !== null) return typeof (JSON.parse(verification) as Partial<VerificationData>).merge === 'string'
  return stateKinds.has(queue)
}

const stateKinds: ReadonlySet<string> = new Set<MachineKind>(['run', 'merge', 'schedule', 'landing', 'notification'])

async function rowsOf(db: Kysely<Tables>, run?: string) {
  return (run === undefined ? await allJobs(db, {}) : await jobsOfRun(db, { run })).rows
}

function jobRows(db: Kysely<Tables>) {
  return db
    .selectFrom('jobs')
    .innerJoin('machines', 'machines.id', 'jobs.machine')
    .selectAll('jobs')
    .select(['machines.run', 'machines.story'])
    .select(sql<string | null>`case when jobs.queue = 'verification' then machines.data end`.as('verification'))
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
