import { DrydockError } from '../../../domain/drydock-error.ts'
import { limits } from '../../../domain/limits.ts'
import { workerProtocol } from '../../../domain/worker/shared-state.ts'
import { hubHost, shownHost } from '../../../domain/worker/worker-name.ts'
import type { Claim, SharedJob, Signs, Taker } from '../../../ports/jobs.ts'
import { version } from '../../../processes/installation.ts'
import { hostsFor, jobOf } from '../job-rows.ts'
import type { Session } from './session.ts'
import { wakeEverybody } from './wakes.ts'

type Ask = Session['ask']

/**
 * The tables of the workers that share a state. They are only needed while workers exist, so the
 * first worker creates them, and they are not part of a copy. `has_left`: the worker ended
 * normally. `lost_at`: its host was given up.
 */
const tables = `
  create table if not exists workers (id text collate "C" primary key, host text collate "C" not null,
    seen timestamptz not null default clock_timestamp(), given_up boolean not null default false);
  create table if not exists leases (machine text collate "C" primary key, job bigint not null, worker text collate "C" not null);
  alter table workers add column if not exists backend integer, add column if not exists version text,
    add column if not exists protocol integer,
    add column if not exists since timestamptz not null default clock_timestamp(),
    add column if not exists draining boolean not null default false,
    add column if not exists has_left boolean not null default false, add column if not exists lost_at timestamptz`

/** Creates or migrates the tables. */
export async function makeWorkerTables(ask: Ask): Promise<void> {
  await ask(tables)
}

/**
 * Frees every step when no worker is alive; the hosts keep their slots until their time is over.
 */
export async function clearWorkers(ask: Ask): Promise<void> {
  await ask('update workers set given_up = true; delete from leases')
}

/**
 * True if workers may be alive that do not hold the state's lock. The lock belongs to their
 * connection for writes, which they reopen only when they write. Such workers still have their
 * connection for heartbeats, or the server has just restarted and not received a heartbeat yet.
 */
export async function mayComeBack(ask: Ask, silentMs: number): Promise<boolean> {
  const there = await ask("select to_regclass('workers') is not null as is_there")
  if ((there.rows as readonly { is_there: boolean }[])[0]?.is_there !== true) return false
  const { rows } = await ask(
    `select exists (select from workers where not given_up and (${isConnected}
      or (seen < pg_postmaster_start_time() and not ${isLonger(silentFor, silentMs)}))) as may_live`,
  )
  return (rows as readonly { may_live: boolean }[])[0]?.may_live === true
}

/**
 * Called before the schema or the hub changes. Throws DrydockError `worker_version` while a worker
 * with another protocol is alive. With `ends`, such a worker that is silent can no longer write
 * when it wakes up.
 */
export async function refuseOtherProtocols(ask: Ask, { ends }: { readonly ends: boolean }): Promise<void> {
  const { rows: there } = await ask("select to_regclass('workers') is not null as is_there")
  if ((there as readonly { is_there: boolean }[])[0]?.is_there !== true) return
  await ask(tables)
  const { rows } = await ask(
    `select host, version from workers where not given_up and host <> $1 and protocol is distinct from $2
      and not (${isLonger(silentFor, limits.workers.hostMs)}) order by host`,
    [hubHost, workerProtocol],
  )
  const others = rows as readonly { host: string; version: string | null }[]
  if (others.length > 0) throw otherProtocols(others)
  if (ends) await ask('update workers set given_up = true where protocol is distinct from $1', [workerProtocol])
}

function otherProtocols(others: readonly { readonly host: string; readonly version: string | null }[]): DrydockError {
  const names = others.map(({ host, version: its }) => `${shownHost(host)} (Drydock ${its ?? 'of an older version'})`)
  const message = `Workers are at work that do not understand Drydock ${version()}: ${names.join(', ')}. Nothing was changed.`
  return new DrydockError('worker_version', message, {
    todo: 'Start the hub of the version before, then: drydock hub drain --all. When all have ended, start this one.',
  })
}

/** A worker's name is a UUID, which needs no quoting. */
export const isMember = (worker: string) => `select from workers where id = '${worker}' and not given_up`

/** The server's time in milliseconds. */
const serverTime = '(extract(epoch from clock_timestamp()) * 1000)::float8 as time'

/** Called on the connection for heartbeats. Returns the server's time. */
export async function joinWorkers(ask: Ask, worker: string, host: string): Promise<Date> {
  const { rows } = await ask(
    `insert into workers (id, host, version, protocol, backend) values ($1, $2, $3, $4, pg_backend_pid())
      on conflict (id) do update set host = $2, backend = pg_backend_pid() returning ${serverTime}`,
    [worker, host, version(), workerProtocol],
  )
  return timeIn(rows)
}

function timeIn(rows: readonly unknown[]): Date {
  const [row] = rows as readonly { time: number }[]
  if (row === undefined) throw new Error('the server does not say what time it is')
  return new Date(row.time)
}

/** The host keeps its slots until another worker joins there, or until it counts as silent. */
export async function leaveWorkers(ask: Ask, worker: string): Promise<void> {
  await ask('update workers set given_up = true, has_left = true where id = $1', [worker])
  await ask('delete from leases where worker = $1', [worker])
}

/** True if the connection for the worker's heartbeats exists. */
const isConnected = 'backend is not null and exists (select from pg_stat_get_activity(backend))'

/** The time while the server was down does not count as silence. */
const silentFor = 'clock_timestamp() - greatest(seen, pg_postmaster_start_time())'
const isLonger = (time: string, ms: number) => `${time} > ${Math.round(ms)} * interval '1 ms'`

/**
 * True if a worker has been silent for too long, as seen from this connection. A lost connection of
 * the worker counts as `lostMs` of silence, once this connection has existed for the rest of the
 * time, in which the worker could have reconnected.
 */
const isSilent = (ms: number, lostMs: number) => `case when ${isLonger(silentFor, ms)} then true
  when ${isLonger(silentFor, ms - lostMs)} and backend is not null
    and not exists (select from pg_stat_get_activity(backend))
    then (select ${isLonger('clock_timestamp() - backend_start', ms - lostMs)} from pg_stat_get_activity(pg_backend_pid()))
  else false end`

/** The worker takes no new steps from now on. */
export async function markDraining(ask: Ask, worker: string): Promise<void> {
  await ask('update workers set draining = true where id = $1', [worker])
}

export interface Heartbeat {
  readonly sign: 'alive' | 'others_silent' | 'given_up'
  /** True if somebody wants the worker to drain. */
  readonly drains: boolean
  /** The server's time. */
  readonly time: Date
}

/** Sends a heartbeat. Returns the requests to the worker and the server's time. */
export async function beat(ask: Ask, worker: string, { silentMs, hostMs, lostMs }: Signs): Promise<Heartbeat> {
  const { rows } = await ask(
    `with mine as (update workers set seen = clock_timestamp(), backend = pg_backend_pid()
        where id = $1 and not given_up returning draining)
      select ${serverTime}, (select draining from mine) as draining,
        exists (select from workers where id <> $1 and lost_at is null
          and ((not given_up and ${isSilent(silentMs, lostMs)}) or (given_up and ${isSilent(hostMs, lostMs)}))) as is_due`,
    [worker],
  )
  const [{ draining, is_due } = { draining: null, is_due: false }] = rows as readonly {
    draining: boolean | null
    is_due: boolean
  }[]
  const time = timeIn(rows)
  if (draining === null) return { sign: 'given_up', drains: false, time }
  return { sign: is_due ? 'others_silent' : 'alive', drains: draining, time }
}

/** Returns the hosts on which no worker has been alive for too long. */
export async function giveUpSilent(
  ask: Ask,
  worker: string,
  { silentMs, hostMs, lostMs }: Signs,
): Promise<readonly string[]> {
  await ask(`update workers set given_up = true where id <> $1 and not given_up and ${isSilent(silentMs, lostMs)}`, [
    worker,
  ])
  await ask('delete from leases where worker in (select id from workers where given_up)')
  const { rows } = await ask(
    `with gone as (update workers set lost_at = clock_timestamp()
        where given_up and lost_at is null and ${isSilent(hostMs, lostMs)} returning id, host)
      select distinct host from gone where not exists (select from workers
        where workers.host = gone.host and workers.lost_at is null and workers.id not in (select id from gone))`,
  )
  // Lost hosts are shown for a day, unless they have come back.
  await ask(`delete from workers where lost_at is not null and (has_left or lost_at < clock_timestamp() - interval '1 day'
    or exists (select from workers as next where next.host = workers.host and next.lost_at is null))`)
  return (rows as readonly { host: string }[]).map(({ host }) => host)
}

/** The jobs that a worker may take, with the worker that holds each job's machine. */
export async function readSharedJobs(ask: Ask, taker: Taker): Promise<readonly SharedJob[]> {
  const { rows } = await ask(
    `select jobs.*, leases.worker from jobs left join leases on leases.machine = jobs.machine
      where jobs.host = any ($1) order by jobs.id`,
    [hostsFor(taker)],
  )
  return (rows as readonly (Parameters<typeof jobOf>[0] & { worker: string | null })[]).map((row) => ({
    ...jobOf(row),
    begunBy: row.worker,
  }))
}

/** The ids of the jobs with a lease. */
export async function readLeased(ask: Ask): Promise<ReadonlySet<number>> {
  const { rows } = await ask('select job from leases')
  return new Set((rows as readonly { job: number }[]).map(({ job }) => job))
}

/** Returns the ids of the jobs that the worker now holds, if it is a member. */
export async function lease(
  ask: Ask,
  worker: string,
  { jobs, underWay, ...taker }: Claim,
): Promise<ReadonlySet<number>> {
  const { rows } = await ask(
    `insert into leases (machine, job, worker) select machine, id, $1 from jobs
      where id = any ($2) and host = any ($3) and exists (${isMember(worker)})
      on conflict (machine) do update set job = excluded.job
        where leases.worker = $1 and leases.machine <> all ($4)
      returning job`,
    [worker, jobs.map(({ id }) => id), hostsFor(taker), underWay],
  )
  return new Set((rows as readonly { job: number }[]).map(({ job }) => job))
}

/**
 * Releases the worker's leases on all other machines, and notifies workers that may wait for one of
 * them.
 */
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
