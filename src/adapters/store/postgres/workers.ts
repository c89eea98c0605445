import type { Claim, Signs } from '../../../ports/jobs.ts'
import type { Session } from './session.ts'
import { wakeEverybody } from './wakes.ts'

type Ask = Session['ask']

/**
 * The tables of those who share a state. They hold nothing that outlives the last worker, so they
 * are made when the first one comes and are no part of a copy.
 */
const tables = `
  create table if not exists workers (id text collate "C" primary key, host text collate "C" not null,
    seen timestamptz not null default clock_timestamp(), given_up boolean not null default false);
  create table if not exists leases (machine text collate "C" primary key, job bigint not null, worker text collate "C" not null)`

/** Nobody is alive: every step is free, and the hosts keep their slots for as long as they may. */
export async function clearWorkers(ask: Ask): Promise<void> {
  await ask(tables)
  await ask('update workers set given_up = true; delete from leases')
}

/** The name of a worker is a UUID, which needs no quotes inside of its own. */
export const isMember = (worker: string) => `select 1 from workers where id = '${worker}' and not given_up`

export async function joinWorkers(ask: Ask, worker: string, host: string): Promise<void> {
  await ask('insert into workers (id, host) values ($1, $2) on conflict (id) do update set host = $2', [worker, host])
}

/** Its host keeps its slots until another worker there joins, or until it counts as silent. */
export async function leaveWorkers(ask: Ask, worker: string): Promise<void> {
  await ask('update workers set given_up = true where id = $1', [worker])
  await ask('delete from leases where worker = $1', [worker])
}

/** Nobody is silent for what the server was away. */
const silentFor = 'clock_timestamp() - greatest(seen, pg_postmaster_start_time())'
const isSilent = (ms: number) => `${silentFor} > ${Math.round(ms)} * interval '1 ms'`

/** A sign of life, and what there is to be heard with it. */
export async function beat(
  ask: Ask,
  worker: string,
  { silentMs, hostMs }: Signs,
): Promise<'alive' | 'others_silent' | 'given_up'> {
  const { rows } = await ask(
    `with mine as (update workers set seen = clock_timestamp() where id = $1 and not given_up returning 1)
      select exists (select from mine) as is_member, exists (select from workers where id <> $1
        and ((not given_up and ${isSilent(silentMs)}) or (given_up and ${isSilent(hostMs)}))) as is_due`,
    [worker],
  )
  const [{ is_member, is_due } = { is_member: false, is_due: false }] = rows as readonly {
    is_member: boolean
    is_due: boolean
  }[]
  if (!is_member) return 'given_up'
  return is_due ? 'others_silent' : 'alive'
}

/** Returns the hosts on which nobody has been alive for too long. */
export async function giveUpSilent(ask: Ask, worker: string, { silentMs, hostMs }: Signs): Promise<readonly string[]> {
  await ask(`update workers set given_up = true where id <> $1 and not given_up and ${isSilent(silentMs)}`, [worker])
  await ask('delete from leases where worker in (select id from workers where given_up)')
  const { rows } = await ask(
    `with gone as (delete from workers where given_up and ${isSilent(hostMs)} returning id, host)
      select distinct host from gone where not exists (select from workers
        where workers.host = gone.host and workers.id not in (select id from gone))`,
  )
  return (rows as readonly { host: string }[]).map(({ host }) => host)
}

/** By machine, the worker that has begun a step of it. */
export async function readLeases(
  ask: Ask,
): Promise<ReadonlyMap<string, { readonly job: number; readonly worker: string }>> {
  const { rows } = await ask('select machine, job, worker from leases')
  const leases = rows as readonly { machine: string; job: number; worker: string }[]
  return new Map(leases.map(({ machine, ...lease }) => [machine, lease]))
}

/** Returns the ids of the jobs that the worker has from now on. */
export async function lease(
  ask: Ask,
  worker: string,
  { jobs, underWay }: Pick<Claim, 'jobs' | 'underWay'>,
): Promise<ReadonlySet<number>> {
  const { rows } = await ask(
    `insert into leases (machine, job, worker) select *, $1 from unnest($2::text[], $3::bigint[])
      on conflict (machine) do update set job = excluded.job
        where leases.worker = $1 and leases.machine <> all ($4)
      returning job`,
    [worker, jobs.map(({ machine }) => machine), jobs.map(({ id }) => id), underWay],
  )
  return new Set((rows as readonly { job: number }[]).map(({ job }) => job))
}

/** Ends the leases of all other machines of the worker, and tells who may wait for one of them. */
export async function release(
  ask: Ask,
  { worker, channel }: { readonly worker: string; readonly channel: string },
  underWay: readonly string[],
): Promise<void> {
  await ask(
    `with ended as (delete from leases where worker = $1 and machine <> all ($2) returning machine)
      select pg_notify($3, ${wakeEverybody('$1')}) from ended where exists (select from jobs where jobs.machine = ended.machine) limit 1`,
    [worker, underWay, channel],
  )
}
