import { closeSync, fdatasyncSync, openSync, statfsSync, writeSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSystemClock } from '../src/adapters/clock/system-clock.ts'
import { createEmbeddedEngine } from '../src/adapters/engine/embedded-engine.ts'
import { createSqliteStore } from '../src/adapters/store/sqlite-store.ts'
import type { NewEvent } from '../src/domain/event.ts'
import type { Lane } from '../src/domain/lane/lane.ts'
import type { Machine } from '../src/domain/machine.ts'
import type { JobStore } from '../src/ports/jobs.ts'
import type { GroupFigures } from './benchmarks.ts'
import { now } from './now.ts'
import { median } from './statistics.ts'

const rounds = 5
const count = 2_000
const clock = createSystemClock()
const event: NewEvent = {
  run: 'bench',
  story: 'task',
  type: 'tool',
  data: { lane: 'editor/task/CODING', turn: 3, tool: 'read_file', ok: true },
}

/** Measures transactions one after another, each synced to the disk before the next. */
export async function measureStore(): Promise<GroupFigures> {
  const folder = await mkdtemp(join(tmpdir(), 'drydock-bench-'))
  try {
    warnOfMemory(folder)
    const rates: Record<'events' | 'machines' | 'steps' | 'bare', number[]> = {
      events: [],
      machines: [],
      steps: [],
      bare: [],
    }
    for (let round = 0; round < rounds; round += 1) {
      const store = await createSqliteStore({ file: join(folder, `${round}.db`), clock })
      rates.bare.push(await rate(() => writeBare(join(folder, `${round}.bare`))))
      rates.events.push(await rate(() => appendEvents(store)))
      rates.machines.push(await rate(() => commitMachines(store, round)))
      rates.steps.push(await rate(() => runSteps(store)))
      await store.close()
    }
    return {
      'events appended': median(rates.events),
      'machines committed': median(rates.machines),
      'steps of the engine': median(rates.steps),
      'bare write and fdatasync': median(rates.bare),
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function appendEvents(store: JobStore): Promise<void> {
  for (let i = 0; i < count; i += 1) await store.transact((tx) => tx.appendEvent(event))
}

/**
 * Commits what each durable step commits: the machine's next state, an event, the next job, the end
 * of the present job.
 */
async function commitMachines(store: JobStore, round: number): Promise<void> {
  const start = { id: `bench-${round}`, kind: 'lane', run: 'bench', story: 'task', state: 'ASKING', data } as const
  let lane = (await store.transact((tx) => tx.insertMachine(start))) as Lane
  for (let i = 0; i < count; i += 1) {
    lane = await store.transact(async (tx) => {
      const moved = await tx.move(lane, i % 2 ? 'all_answered' : 'called', { data: { turn: i }, next: 'queue' })
      await tx.appendEvent(event)
      await tx.endJob(i)
      return moved
    })
  }
  await store.transact(async (tx) => {
    for (const { id } of await tx.jobsOf('bench')) await tx.endJob(id)
  })
}

/** Data of about the size of a lane's. */
const data = {
  key: 'editor/task/CODING',
  role: 'editor_coding',
  system: 'x'.repeat(2_000),
  calls: [],
  results: [],
  turn: 0,
}

async function runSteps(store: JobStore): Promise<void> {
  const ended = Promise.withResolvers<void>()
  const engine = createEmbeddedEngine({ store, clock, onFailure: ended.reject })
  engine.work('story', 1, async (job, commit) => {
    await commit(async (tx) => {
      const machine: Machine | null = await tx.machine(job.machine)
      if (machine === null) throw new Error('the machine is gone')
      const edited = await tx.edit(machine, data)
      await tx.appendEvent(event)
      if (edited.version <= count) await tx.queue(edited)
      else ended.resolve()
    })
  })
  const start = { id: 'steps', kind: 'story', run: 'bench', story: 'task', state: 'CODING', data } as const
  await engine.transact(async (tx) => tx.queue(await tx.insertMachine(start)))
  await ended.promise
  await engine.stop({ drain: true })
}

/** Measures the speed of the disk itself, the lower limit of every commit. */
async function writeBare(file: string): Promise<void> {
  const fd = openSync(file, 'w')
  for (let i = 0; i < count; i += 1) {
    writeSync(fd, 'x'.repeat(4_096))
    fdatasyncSync(fd)
  }
  closeSync(fd)
}

async function rate(work: () => Promise<void>): Promise<number> {
  const start = now()
  await work()
  return (1_000 * count) / (now() - start)
}

const tmpfs = 0x01021994

function warnOfMemory(folder: string): void {
  if (statfsSync(folder).type !== tmpfs) return
  console.error('bench: the folder for temporary files lies in memory, so that nothing is synced to a disk: set TMPDIR')
}
