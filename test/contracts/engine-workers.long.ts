import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createSystemClock } from '../../src/adapters/clock/system-clock.ts'
import { createSharedEngine } from '../../src/adapters/engine/shared-engine.ts'
import type { Engine, StepHandler } from '../../src/ports/engine.ts'
import type { SharedJobStore } from '../../src/ports/jobs.ts'
import { follow } from '../scenarios/world/process.ts'
import type { WorkerSettings } from './engine-worker.ts'
import { sharedStore } from './engines.ts'
import { untilIdle } from './until-idle.ts'

/** Short timeouts, for workers that die in a test; a live one is never silent for so long. */
const quick = { beatMs: 50, silentMs: 1_000, hostMs: 2_000, lostMs: 0 }
/** Long timeouts, so that no worker is given up. */
const patient = { beatMs: 50, silentMs: 600_000, hostMs: 600_000, lostMs: 0 }

let location: string
let store: SharedJobStore
let engine: Engine
let failures: unknown[]
beforeEach(async () => {
  location = await sharedStore.createLocation()
  store = await sharedStore.open(location)
  failures = []
  engine = here(patient)
})
afterEach(async () => {
  await engine.stop()
  await store.close()
  expect(failures).toEqual([])
})

function here(signs: typeof quick): Engine {
  const onFailure = (error: unknown) => void failures.push(error)
  return createSharedEngine({ store, clock: createSystemClock(), host: 'here', signs, onFailure })
}

const workerFile = fileURLToPath(new URL('engine-worker.ts', import.meta.url))

/** Another worker, in a separate process, that has joined. */
async function elsewhere(settings: Omit<WorkerSettings, 'location' | 'signs'> & Partial<WorkerSettings>) {
  const argument: WorkerSettings = { signs: patient, ...settings, location }
  const args = ['--disable-warning=ExperimentalWarning', workerFile, JSON.stringify(argument)]
  const running = follow(spawn(process.execPath, args, { stdio: 'pipe' }))
  await running.line(/^ready$/)
  return { ...running, tell: (line: string) => void running.child.stdin?.write(`${line}\n`) }
}

const bare = { kind: 'lane', run: 'run', story: null, data: {}, state: 'ASKING' } as const

/** Inserts lanes whose steps are queued. */
async function insert(...ids: readonly string[]): Promise<void> {
  await engine.transact(async (tx) => {
    for (const id of ids) await tx.queue(await tx.insertMachine({ ...bare, id }))
  })
}

/** Ends a step, and records who did. */
const finish: StepHandler = async (step, commit) => {
  const data = { lane: `${step.machine} by here` }
  await commit((tx) => tx.appendEvent({ run: 'run', story: null, type: 'resumed', data }))
}

const told = async () =>
  (await store.events({ after: 0, limit: 5_000 })).flatMap(({ type, data }) => (type === 'resumed' ? [data.lane] : []))

const idle = () => untilIdle(engine, store)

test('a step of a process that is killed runs in another one', async () => {
  const killed = await elsewhere({ host: 'here', mode: 'gated' })
  await insert('a')
  await killed.line(/^begun a 1$/)
  killed.child.kill('SIGKILL')
  await killed.ended
  await engine.stop()
  engine = here(quick)
  engine.work('lane', 1, finish)
  await idle()
  expect(await told()).toEqual(['a by here'])
})

test('a process that wakes up after its step was given away writes nothing, and says so', async () => {
  const paused = await elsewhere({ host: 'here', mode: 'gated' })
  await insert('a')
  await paused.line(/^begun a 1$/)
  paused.child.kill('SIGSTOP')
  paused.tell('commit')
  await engine.stop()
  engine = here(quick)
  engine.work('lane', 1, finish)
  await idle()
  paused.child.kill('SIGCONT')
  await paused.line(/^committed state_unusable$/)
  await paused.line(/^failed state_unusable$/)
  expect(await told()).toEqual(['a by here'])
})

test('a process that has died is known by its connection, and one that is only slow loses nothing', async () => {
  // A silent worker is given up after a second without a connection, and after minutes with one.
  const signs = { beatMs: 50, silentMs: 600_000, hostMs: 600_000, lostMs: 599_000 }
  const slow = await elsewhere({ host: 'here', mode: 'gated' })
  await insert('slow')
  await slow.line(/^begun slow 1$/)
  slow.child.kill('SIGSTOP')
  const dead = await elsewhere({ host: 'here', mode: 'gated' })
  await insert('dead')
  await dead.line(/^begun dead 1$/)
  dead.child.kill('SIGKILL')
  await engine.stop()
  engine = here(signs)
  engine.work('lane', 1, finish)
  await vi.waitUntil(async () => (await told()).includes('dead by here'), 300_000)
  slow.child.kill('SIGCONT')
  slow.tell('commit')
  await slow.line(/^committed true$/)
  expect(await told()).toEqual(['dead by here', 'slow by here'])
})

test('a step that is dropped in one process is aborted in the other, and cannot commit', async () => {
  const other = await elsewhere({ host: 'here', mode: 'gated' })
  await insert('a')
  await other.line(/^begun a 1$/)
  expect(await engine.transact((tx) => tx.hold('run'))).toEqual([])
  expect(await engine.transact((tx) => tx.drop('run'))).toEqual(['a'])
  await other.line(/^aborted a$/)
  other.tell('commit')
  await other.line(/^committed false$/)
  expect(await told()).toEqual([])
})

test('a machine is never worked on by two processes at once, and every step is taken once', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'drydock-machines-'))
  const ids = ['a', 'b', 'c', 'd', 'e', 'f']
  const settings = { host: 'here', mode: 'steady', folder, steps: 20 } as const
  const both = await Promise.all([elsewhere(settings), elsewhere(settings)])
  await insert(...ids)
  await idle()
  for (const worker of both) worker.child.stdin?.end()
  const ended = await Promise.all(both.map((worker) => worker.ended))
  expect(ended.map(({ stdout, exitCode }) => [stdout, exitCode])).toEqual([
    ['ready\n', 0],
    ['ready\n', 0],
  ])
  const steps = ids.flatMap((id) => Array.from({ length: 20 }, (_, n) => `${id} ${n + 1} here`))
  expect((await told()).toSorted()).toEqual(steps.toSorted())
  await rm(folder, { recursive: true })
})

test('two processes that decide about slots never give one to two Runs', async () => {
  const slots = Array.from({ length: 5 }, (_, n) => `coder-00${n + 1}`)
  const runs = Array.from({ length: 16 }, (_, n) => `r${n}`)
  await engine.transact(async (tx) => {
    for (const name of slots) {
      await tx.create({ id: `slot/${name}`, kind: 'slot', run: '', story: null, data: { name, host: 'here' } }, 'rest')
    }
    for (const id of runs) {
      await tx.insertMachine({ id, run: id, kind: 'run', story: null, state: 'WAITING', data: { slot: null } })
    }
  })
  const both = await Promise.all([
    elsewhere({ host: 'here', mode: 'slots', runs: runs.slice(8) }),
    elsewhere({ host: 'here', mode: 'slots', runs: runs.slice(0, 8) }),
  ])
  for (const worker of both) worker.tell('go')
  await Promise.all(both.map((worker) => worker.line(/^done$/)))
  const held = (await store.machines({ kind: 'run' })).flatMap(({ data }) => data.slot ?? [])
  expect(held.toSorted()).toEqual(slots)
})

test('a host that died loses its slots, and its pinned work continues elsewhere', async () => {
  const dead = await elsewhere({ host: 'there', mode: 'gated' })
  await engine.transact(async (tx) => {
    const slot = { name: 'coder-001', host: 'there' }
    await tx.create({ id: 'slot/coder-001', kind: 'slot', run: '', story: null, data: slot }, 'rest')
    const story = { ...bare, kind: 'story', state: 'CODING', story: 'far', data: { slot: 'coder-001' } } as const
    await tx.insertMachine({ ...story, id: 'run/far' })
    await tx.queue(await tx.insertMachine({ ...bare, id: 'far', story: 'far' }))
  })
  await dead.line(/^begun far 1$/)
  dead.child.kill('SIGKILL')
  await engine.stop()
  engine = here(quick)
  engine.work('lane', 1, finish)
  await idle()
  expect(await told()).toEqual(['far by here'])
  expect(await store.machine('slot/coder-001')).toMatchObject({ state: 'WITHDRAWN' })
  expect(await store.machine('run/far')).toMatchObject({ version: 2, data: { slot: null } })
  expect(await store.machine('far')).toMatchObject({ version: 2 })
})

test('work for the state itself is left to its hub, wherever a slot is, and the rest to its host', async () => {
  await engine.transact(async (tx) => {
    const slot = { name: 'there-001', host: 'there' }
    await tx.create({ id: 'slot/there-001', kind: 'slot', run: '', story: null, data: slot }, 'rest')
    const story = { ...bare, kind: 'story', state: 'CODING', story: 'far', data: { slot: 'there-001' } } as const
    await tx.insertMachine({ ...story, id: 'run/far' })
    const far = { ...bare, story: 'far' } as const
    const verifying = { ...far, kind: 'verification', state: 'REQUESTED' } as const
    await tx.queue(await tx.insertMachine({ ...far, id: 'merge', kind: 'merge', state: 'MERGING' }))
    await tx.queue(await tx.insertMachine({ ...verifying, id: 'of merge', data: { merge: 'merge' } }))
    await tx.queue(await tx.insertMachine({ ...verifying, id: 'of change', data: { merge: null } }))
    await tx.queue(await tx.insertMachine({ ...far, id: 'lane' }))
  })
  await engine.stop()
  const takenBy = async (taker: { readonly host: string; readonly keepsState: boolean }) =>
    (await store.sharedJobs(taker)).map(({ machine }) => machine)
  expect(await takenBy({ host: 'here', keepsState: true })).toEqual(['merge', 'of merge'])
  expect(await takenBy({ host: 'there', keepsState: false })).toEqual(['of change', 'lane'])
  expect(await takenBy({ host: 'here', keepsState: false })).toEqual([])
  const { jobs, claim } = { jobs: await store.jobs(), claim: store.claim }
  const claimed = await claim({ host: 'there', keepsState: false, jobs, underWay: [] })
  expect(claimed.map(({ machine }) => machine)).toEqual(['of change', 'lane'])
})
