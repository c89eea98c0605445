import { type Kysely, sql } from 'kysely'
import type { Machine, MachineKind } from '../../domain/machine.ts'
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
  const [rows, elsewhere] = await Promise.all([read, slotsElsewhere(db, host)])
  const holders = await heldOf(db, elsewhere, rows)
  return rows.filter((row) => (isOfState(row) ? keepsState : !holders.has(holderOf(row)))).map(jobOf)
}

/** What is done for the state itself, wherever the workspace of its story lies. */
function isOfState({ queue, verification }: Awaited<ReturnType<typeof rowsOf>>[number]): boolean {
  if (verification !== null) return typeof (JSON.parse(verification) as Partial<VerificationData>).merge === 'string'
  return stateKinds.has(queue)
}

export const stateKinds: ReadonlySet<string> = new Set<MachineKind>([
  'run',
  'merge',
  'schedule',
  'landing',
  'notification',
])

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

async function slotsElsewhere(db: Kysely<Tables>, host: string): Promise<ReadonlySet<string>> {
  const offered = (await slots(db, {})).rows.map(({ data }) => JSON.parse(data) as SlotData)
  return new Set(offered.filter((slot) => slot.host !== host).map(({ name }) => name))
}

/** Of the Runs and stories that the jobs belong to, those that hold one of the slots. */
async function heldOf(
  db: Kysely<Tables>,
  held: ReadonlySet<string>,
  jobs: readonly Pick<Machine, 'run' | 'story'>[],
): Promise<ReadonlySet<string>> {
  if (held.size === 0 || jobs.length === 0) return new Set()
  const rows: { readonly id: string; readonly data: string }[] = []
  const ids = [...new Set(jobs.map(holderOf))]
  for (let from = 0; from < ids.length; from += atOnce) {
    const some = ids.slice(from, from + atOnce)
    rows.push(...(await db.selectFrom('machines').select(['id', 'data']).where('id', 'in', some).execute()))
  }
  const isHolder = (data: string) => held.has((JSON.parse(data) as { readonly slot?: string }).slot ?? '')
  return new Set(rows.filter(({ data }) => isHolder(data)).map(({ id }) => id))
}

/** Ids that one query names. */
const atOnce = 1_000

/** The id of the Run or story whose slot the workspace of a machine is in. */
export function holderOf({ run, story }: Pick<Machine, 'run' | 'story'>): string {
  return story === null ? run : `${run}/${story}`
}
