import type { Kysely } from 'kysely'
import type { Machine, MachineKind } from '../../domain/machine.ts'
import type { VerificationData } from '../../domain/verification/verification.ts'
import type { Job, Taker } from '../../ports/jobs.ts'
import { prepared } from './prepared.ts'
import type { Tables } from './tables.ts'

const allJobs = prepared<object>()((db) => db.selectFrom('jobs').selectAll().orderBy('id'))
const jobsOfRun = prepared<{ run: string }>()((db, { run }) =>
  db.selectFrom('jobs').selectAll().where('run', '=', run).orderBy('id'),
)
const jobsFor = prepared<{ host: string; keeper: string }>()((db, { host, keeper }) =>
  db.selectFrom('jobs').selectAll().where('host', 'in', [anybody, host, keeper]).orderBy('id'),
)

/** Values in place of a host: the state's keeper, and any worker. */
export const stateKeeper = '#'
const anybody = ''

/** All jobs, or those of one Run, in the order in which they were queued. */
export async function readJobs(db: Kysely<Tables>, run?: string): Promise<readonly Job[]> {
  return (run === undefined ? await allJobs(db, {}) : await jobsOfRun(db, { run })).rows.map(jobOf)
}

/** The jobs that a worker may take. */
export async function readJobsFor(db: Kysely<Tables>, { host, keepsState }: Taker): Promise<readonly Job[]> {
  return (await jobsFor(db, { host, keeper: keepsState ? stateKeeper : anybody })).rows.map(jobOf)
}

/** The values of `host` for the jobs that a worker may take. */
export function hostsFor({ host, keepsState }: Taker): readonly string[] {
  return [anybody, host, ...(keepsState ? [stateKeeper] : [])]
}

/** True for steps that concern the state itself, wherever the workspace of its story is. */
export function isOfState({ kind, data }: Pick<Machine, 'kind' | 'data'>): boolean {
  return kind === 'verification' ? typeof (data as Partial<VerificationData>).merge === 'string' : stateKinds.has(kind)
}

const stateKinds: ReadonlySet<MachineKind> = new Set(['run', 'merge', 'schedule', 'landing', 'notification'])

export function jobOf(row: Omit<Tables['jobs'], 'id'> & { readonly id: number }): Job {
  const { id, queue, machine, run, version, run_at } = row
  return { id, kind: queue as MachineKind, machine, run, version, runAt: run_at }
}

/** The id of the Run or story whose slot holds the workspace of a machine. */
export function holderOf({ run, story }: Pick<Machine, 'run' | 'story'>): string {
  return story === null ? run : `${run}/${story}`
}
