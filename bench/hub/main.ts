import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createSystemClock } from '../../src/adapters/clock/system-clock.ts'
import { createEmbeddedEngine } from '../../src/adapters/engine/embedded-engine.ts'
import { createSharedEngine } from '../../src/adapters/engine/shared-engine.ts'
import { createPostgresStore } from '../../src/adapters/store/postgres/postgres-store.ts'
import { createSqliteStore } from '../../src/adapters/store/sqlite-store.ts'
import type { Engine } from '../../src/ports/engine.ts'
import type { JobStore } from '../../src/ports/jobs.ts'
import { makeServer, type PostgresServer, psql } from '../../test/postgres/server.ts'
import { counting } from '../../test/postgres/statements.ts'
import { type Load, store as storeLoad, takeStep } from './load.ts'
import { measureTurnsOfWorkers } from './turns.ts'
import type { WorkerSettings } from './worker-process.ts'

const clock = createSystemClock()
const workerFile = fileURLToPath(new URL('worker-process.ts', import.meta.url))
const onFailure = (error: unknown) => console.error(`bench: ${String(error)}`)
const row = (...cells: readonly (string | number)[]) => console.log(`| ${cells.join(' | ')} |`)

/** Steps per second of one process that takes all steps as fast as it can. */
async function alone(opened: JobStore, engine: Engine, { machines, steps }: { machines: number; steps: number }) {
  const count = await storeLoad(engine, { runs: 4, stories: machines, hosts: [engine.host], slotsEach: machines })
  const { promise, resolve } = Promise.withResolvers<void>()
  let taken = 0
  const started = performance.now()
  engine.work('lane', 16, async (step, commit) => {
    if (await commit((tx) => takeStep(tx, step, steps))) taken += 1
    if (taken === count * steps) resolve()
  })
  await promise
  const perSecond = taken / ((performance.now() - started) / 1_000)
  await engine.stop()
  await opened.close()
  return perSecond
}

interface Crowd extends Omit<Load, 'hosts'> {
  readonly workers: number
  readonly processes: number
  readonly latencyMs: number
  readonly seconds: number
}

/** Runs many workers of one hub, each with its own registration, leases and connections. */
async function crowd(server: PostgresServer, { workers, processes, latencyMs, seconds, ...load }: Crowd) {
  const schema = `drydock_crowd_${workers}_${load.slotsEach}_${load.stories}`
  const place = { url: server.url(), schema, shown: 'bench', id: 'bench' }
  const opened = await createPostgresStore({ ...place, clock, role: 'worker' })
  const signs = { beatMs: 2_000, silentMs: 600_000, hostMs: 600_000, lostMs: 0 }
  const hub = createSharedEngine({ store: opened, clock, host: 'hub', onFailure, signs })
  const hosts = Array.from({ length: workers }, (_, n) => `host-${n}`)
  const atWork = Math.min(load.stories, workers * load.slotsEach)
  await storeLoad(hub, { ...load, stories: atWork, hosts })
  addWaiting(server, schema, { ...load, atWork })
  psql(server, 'analyze')
  const children: ChildProcess[] = []
  const lines: AsyncIterableIterator<string>[] = []
  for (let n = 0; n < processes; n += 1) {
    const own = hosts.filter((_, at) => at % processes === n)
    const settings: WorkerSettings = {
      url: server.url(),
      schema,
      hosts: own,
      concurrency: load.slotsEach,
      latencyMs,
      steps: 1e9,
    }
    const args = ['--disable-warning=ExperimentalWarning', workerFile, JSON.stringify(settings)]
    const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
    children.push(child)
    const said = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    lines.push(said)
    await said.next()
  }
  const connections = psql(server, "select count(*) from pg_stat_activity where backend_type = 'client backend'")
  for (const child of children) child.stdin?.write('go\n')
  // Waits until every worker has taken its first steps.
  await delay(Math.max(2_000, latencyMs * 1.5))
  const before = { events: await opened.lastEvent(), ...statistics(server), at: performance.now() }
  await delay(seconds * 1_000)
  const after = { events: await opened.lastEvent(), ...statistics(server), at: performance.now() }
  const span = (after.at - before.at) / 1_000
  const byRun = new Map<string, number>()
  for (let from = before.events; from < after.events; from += 5_000) {
    for (const { run } of await opened.events({ after: from, limit: 5_000 })) byRun.set(run, (byRun.get(run) ?? 0) + 1)
  }
  for (const child of children) child.stdin?.end()
  const ends = await Promise.all(lines.map(async (said) => JSON.parse((await said.next()).value)))
  await Promise.all(children.map((child) => child.exitCode ?? once(child, 'close')))
  await hub.stop()
  await opened.close()
  const most = (1_000 / latencyMs) * Math.min(load.stories, workers * load.slotsEach)
  const steps = (after.events - before.events) / span
  return {
    steps,
    ofIdeal: latencyMs === 0 ? null : steps / most,
    commits: (after.commits - before.commits) / span,
    rows: (after.rows - before.rows) / span,
    connections: Number(connections),
    fairness: jain([...byRun.values()]),
    memoryMiB: ends.reduce((sum, { rss }) => sum + rss, 0) / 2 ** 20,
    failed: ends.reduce((sum, { failed }) => sum + failed, 0),
  }
}

/** Stories that wait for a slot, and that no step reads. */
function addWaiting(
  server: PostgresServer,
  schema: string,
  { runs, stories, atWork }: Omit<Load, 'hosts'> & { atWork: number },
) {
  psql(
    server,
    `insert into ${schema}.machines (id, kind, run, story, state, version, data, created_at, updated_at)
      select 'run-' || n % ${runs} || '/s' || n, 'story', 'run-' || n % ${runs}, 's' || n, 'QUEUED', 1,
      '{"slot":null,"weight":"' || repeat('x', 3000) || '"}', '', '' from generate_series(${atWork}, ${stories - 1}) as n`,
  )
}

function statistics(server: PostgresServer): { readonly commits: number; readonly rows: number } {
  const sql = "select xact_commit, tup_returned from pg_stat_database where datname = 'postgres'"
  const [commits = 0, rows = 0] = psql(server, sql).split('|').map(Number)
  return { commits, rows }
}

/** 1 if all Runs got the same number, 1/n if one of n got everything. */
function jain(values: readonly number[]): number {
  const sum = values.reduce((a, b) => a + b, 0)
  const squares = values.reduce((a, b) => a + b * b, 0)
  return values.length === 0 ? 0 : sum ** 2 / (values.length * squares)
}

async function main(chosen: readonly string[]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'drydock-bench-hub-'))
  chmodSync(folder, 0o755)
  const server = await makeServer(join(folder, 'server'), { max_connections: '2000', fsync: 'on' })
  const isChosen = (name: string) => chosen.length === 0 || chosen.includes(name)
  console.log(`${availableParallelism()} cores, load ${loadavg()[0]?.toFixed(1)} before, node ${process.version}\n`)
  try {
    if (isChosen('steps')) await measureSteps(folder, server)
    if (isChosen('backlog')) await measureBacklog(server)
    if (isChosen('workers')) await measureWorkers(server)
    if (isChosen('coders')) await measureCoders(server)
    if (isChosen('turn')) await measureTurns(folder)
  } finally {
    await server.stop('SIGINT')
    await rm(folder, { recursive: true, force: true })
  }
  console.log(`\nload ${loadavg()[0]?.toFixed(1)} after`)
}

async function measureSteps(folder: string, server: PostgresServer): Promise<void> {
  const size = { machines: 40, steps: 25 }
  const place = (schema: string) => ({ url: server.url(), schema, shown: 'bench', id: 'bench', clock })
  row('engine', 'steps per second')
  row('---', '---:')
  const sqlite = await createSqliteStore({ file: join(folder, 'drydock.db'), clock })
  row(
    'embedded, SQLite',
    (await alone(sqlite, createEmbeddedEngine({ store: sqlite, clock, onFailure }), size)).toFixed(0),
  )
  const owner = await createPostgresStore({ ...place('drydock_owner'), role: 'owner' })
  row(
    'embedded, PostgreSQL',
    (await alone(owner, createEmbeddedEngine({ store: owner, clock, onFailure }), size)).toFixed(0),
  )
  const shared = await createPostgresStore({ ...place('drydock_shared'), role: 'worker' })
  const engine = createSharedEngine({ store: shared, clock, onFailure, host: 'local' })
  row('shared, one worker', (await alone(shared, engine, size)).toFixed(0))
}

const crowdHead = ['workers', 'stories', 'steps per second', 'of what the latency allows', 'commits per second']
const crowdMore = ['rows read per second', 'connections', 'fairness', 'memory of the workers', 'failures']

async function measureCrowds(server: PostgresServer, crowds: readonly Crowd[]): Promise<void> {
  console.log('')
  row(...crowdHead, ...crowdMore)
  row(...[...crowdHead, ...crowdMore].map(() => '---:'))
  for (const each of crowds) {
    const told = await crowd(server, each)
    row(
      each.workers,
      each.stories,
      told.steps.toFixed(0),
      told.ofIdeal === null ? '' : `${(told.ofIdeal * 100).toFixed(0)} %`,
      told.commits.toFixed(0),
      told.rows.toFixed(0),
      told.connections,
      told.fairness.toFixed(3),
      `${told.memoryMiB.toFixed(0)} MiB`,
      told.failed,
    )
  }
}

/** Workers at full speed, with more and more waiting stories. */
function measureBacklog(server: PostgresServer): Promise<void> {
  const crowd = { workers: 4, processes: 2, runs: 50, slotsEach: 3, latencyMs: 0, seconds: 8 }
  return measureCrowds(
    server,
    [100, 1_000, 10_000].map((stories) => ({ ...crowd, stories })),
  )
}

/** More and more workers, with models that take 5 seconds. */
function measureWorkers(server: PostgresServer): Promise<void> {
  const crowd = { runs: 50, stories: 10_000, slotsEach: 3, latencyMs: 5_000, seconds: 15 }
  return measureCrowds(
    server,
    [10, 50, 200].map((workers) => ({ ...crowd, workers, processes: Math.min(4, workers / 5) })),
  )
}

/** 1,000 coders with models that take 5 seconds: in one process, and in several workers. */
function measureCoders(server: PostgresServer): Promise<void> {
  const crowd = { runs: 50, stories: 10_000, latencyMs: 5_000, seconds: 20 }
  return measureCrowds(
    server,
    [1, 4, 20].map((workers) => ({ ...crowd, workers, slotsEach: 1_000 / workers, processes: Math.min(4, workers) })),
  )
}

/** Compares a turn on a worker with the same turn on one machine. */
async function measureTurns(folder: string): Promise<void> {
  console.log('')
  // A server of its own, since counting statements would slow down the other measurements.
  const server = await makeServer(join(folder, 'counting'), { fsync: 'on', ...counting })
  row('place', 'turn with a read', 'turn with a command', 'statements for a turn')
  row('---', '---:', '---:', '---:')
  for (const { place, read, command, statements } of await measureTurnsOfWorkers(server, 5)) {
    row(place, `${read.toFixed(1)} ms`, `${command.toFixed(1)} ms`, statements?.toFixed(0) ?? '')
  }
  await server.stop('SIGINT')
}

await main(process.argv.slice(2))
