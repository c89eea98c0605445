import { expect, test, vi } from 'vitest'
import { greenStory, type Lanes, specLanes } from '../scenarios/world/crew.ts'
import { launch } from '../scenarios/world/process.ts'
import {
  burn,
  insistingLanes,
  reachGate,
  resultOf,
  twiceWaitingLanes,
  type WorkerWorld,
  waitingLanes,
  workerWorld,
} from './worker-world.ts'

const two: Lanes = { ...specLanes('alpha', 'beta'), ...greenStory('alpha'), ...greenStory('beta') }

const has = (world: WorkerWorld, ref: string, file: string) =>
  world.inMirror('ls-tree', '--name-only', ref.split(' ')[0] ?? '').includes(file)

const branch = 'drydock/make-the-files'

test('a worker that burns down loses no run, and everybody is told what is lost', async () => {
  const world = await workerWorld(waitingLanes)
  const one = await world.worker('one', '--coders', '1')
  const run = await world.build()
  await reachGate(one)
  await world.worker('two', '--coders', '1')
  // The hub gets an editor's files soon after the turn that wrote them.
  await vi.waitUntil(() => world.refs().some((ref) => ref.includes('/looks/') && has(world, ref, 'kept.txt')), 60_000)
  const killed = Date.now()
  await burn(one)
  // The last look may have happened while the command was already writing.
  const look = world.refs().find((ref) => ref.includes('/looks/')) ?? ''
  const isLateKept = has(world, look, 'late.txt')
  const moved = await world.stream.until(({ type }) => type === 'workspace_moved')
  expect(moved).toMatchObject({ story: 'alpha', data: { from: one.host, lost: true, snapshot: expect.any(String) } })
  const lost = (await world.workers()).workers.find(({ host }) => host === one.host)
  expect(lost).toMatchObject({ state: 'lost', slots: [], silent_s: null })
  const next = await world.stream.until(({ type, id }) => type === 'model_call' && id > moved.id)
  const [movedMs, nextMs] = [moved, next].map(({ at }) => Date.parse(at) - killed)
  console.log(
    `from the death of the worker to its story's move: ${movedMs} ms, to the next answer of a model: ${nextMs} ms`,
  )
  // The worker's slots are withdrawn after 10 seconds, and other workers poll every 2 seconds.
  expect(movedMs).toBeLessThan(15_000)
  // The command is not repeated, since it may have run.
  expect(await resultOf(world, run)).toMatchObject({ status: 'DONE' })
  expect(await world.fixture.git('show', `${branch}:alpha.txt`)).toBe('alpha')
  const chat = JSON.stringify(await world.get(`/api/runs/${run}/chat`))
  expect(chat).toContain(`The machine ${one.host} is gone.`)
  const files = await world.fixture.git('ls-tree', '--name-only', branch)
  expect(files).toContain('kept.txt')
  expect(files.includes('late.txt')).toBe(isLateKept)
})

test('a change is not handed in by an editor that has not heard yet what is lost of it', async () => {
  const world = await workerWorld(insistingLanes)
  const one = await world.worker('one', '--coders', '1')
  const run = await world.build()
  const gate = await reachGate(one)
  await world.worker('two', '--coders', '1')
  await vi.waitUntil(() => world.refs().some((ref) => ref.includes('/looks/') && has(world, ref, 'kept.txt')), 60_000)
  await gate.open()
  // The editor's calls are stored, and the last one submits files that exist only on this machine.
  const last = (waitingLanes['editor/alpha/CODING']?.length ?? 0) - 1
  const isLast = (data: { lane?: unknown; turn?: unknown }) =>
    `${data.lane}`.endsWith('alpha/CODING') && data.turn === last
  await world.stream.until(({ type, data }) => type === 'model_call' && isLast(data))
  await burn(one)
  expect(await resultOf(world, run)).toMatchObject({ status: 'DONE' })
  expect(await world.fixture.git('show', `${branch}:alpha.txt`)).toBe('alpha')
})

test('a worker that is ended hands its stories over, and loses nothing', async () => {
  const world = await workerWorld(waitingLanes)
  const one = await world.worker('one', '--coders', '1')
  const run = await world.build()
  const gate = await reachGate(one)
  await world.worker('two', '--coders', '1')
  one.child.kill('SIGTERM')
  await one.line(/Stopping after the current steps/)
  await gate.open()
  expect(await one.ended).toMatchObject({ exitCode: 130 })
  expect(await resultOf(world, run)).toMatchObject({ status: 'DONE' })
  const moved = world.stream.events.filter(({ type }) => type === 'workspace_moved')
  expect(moved).toMatchObject([{ data: { from: one.host, lost: false } }])
  expect(await world.fixture.git('ls-tree', '--name-only', branch)).toContain('late.txt')
})

test('a worker that drains ignores the first signal, and loses nothing', async () => {
  const world = await workerWorld(waitingLanes)
  const one = await world.worker('one', '--coders', '1')
  const run = await world.build()
  const gate = await reachGate(one)
  await world.worker('two', '--coders', '1')
  expect(await world.fixture.drydock('hub', 'drain', 'one', '--no-wait')).toMatchObject({ exitCode: 0 })
  await one.line(/The hub wants this worker to end/)
  one.child.kill('SIGTERM')
  await one.line(/Stopping after the current steps/)
  await gate.open()
  expect(await one.ended).toMatchObject({ exitCode: 0 })
  expect(await resultOf(world, run)).toMatchObject({ status: 'DONE' })
  const moved = world.stream.events.filter(({ type }) => type === 'workspace_moved')
  expect(moved).toMatchObject([{ data: { from: one.host, lost: false } }])
})

test.each(['drained', 'told by a signal'])('a second signal ends a worker at once that was %s', async (how) => {
  const world = await workerWorld(waitingLanes)
  const one = await world.worker('one', '--coders', '1')
  await world.build()
  await reachGate(one)
  if (how === 'drained') {
    await world.fixture.drydock('hub', 'drain', 'one', '--no-wait')
    await one.line(/The hub wants this worker to end/)
  }
  one.child.kill('SIGINT')
  await one.line(/Stopping after the current steps/)
  one.child.kill('SIGTERM')
  expect(await one.ended).toMatchObject({ exitCode: 143, signal: null })
})

test('waiting for a drained worker does not include its successor on the same machine', async () => {
  const world = await workerWorld(two)
  const { stdout } = await world.fixture.drydock('hub', 'token', 'add', 'one', '--role', 'worker')
  const start = () => world.tryWorker('one', { DRYDOCK_HUB_TOKEN: stdout.trim() }, '--coders', '1')
  const one = await start()
  const at = await one.line(/"type":"worker"/)
  const draining = launch(['hub', 'drain', 'one', '--repo', world.fixture.repo], world.fixture)
  await draining.line(/takes no new step/)
  draining.child.kill('SIGSTOP')
  expect(await one.ended).toMatchObject({ exitCode: 0 })
  const next = await start()
  expect(await next.line(/"type":"worker"/)).toBe(at)
  draining.child.kill('SIGCONT')
  expect(await draining.ended).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('ended') })
  const { workers } = await world.workers()
  expect(workers.filter(({ host }) => at.includes(host))).toMatchObject([{ state: 'working' }])
})

test('a run on a worker is paused, resumed and cancelled at the hub, which keeps its work', async () => {
  const world = await workerWorld(waitingLanes)
  const one = await world.worker('one', '--coders', '1')
  const run = await world.build()
  const gate = await reachGate(one)
  expect(await world.post(`/api/runs/${run}/pause`)).toBe(202)
  await gate.open()
  expect(await resultOf(world, run)).toMatchObject({ status: 'PAUSED' })
  expect(await world.post(`/api/runs/${run}/cancel`)).toBe(202)
  await world.stream.until(
    (event) => event.type === 'result' && (event.data as { status: string }).status === 'CANCELLED',
  )
  const kept = world.refs().find((line) => line.includes('refs/drydock/snapshots/'))
  expect(kept).toContain('snapshots')
  const files = world.inMirror('ls-tree', '--name-only', world.refs().at(-1)?.split(' ')[0] ?? '')
  expect(files).toContain('late.txt')
})

test('a worker that was given up writes nothing when it wakes up', async () => {
  const world = await workerWorld(waitingLanes)
  const one = await world.worker('one', '--coders', '1')
  const run = await world.build()
  await reachGate(one)
  await world.worker('two', '--coders', '1')
  one.child.kill('SIGSTOP')
  expect(await resultOf(world, run)).toMatchObject({ status: 'DONE' })
  const before = [world.refs(), world.stream.events.length]
  one.child.kill('SIGCONT')
  const ended = await one.ended
  expect(ended.exitCode, ended.stderr).toBe(2)
  expect(ended.stderr).toContain('was not heard of')
  expect([world.refs(), world.stream.events.length]).toEqual(before)
})

test('doctor says whether a machine can work for a hub', async () => {
  const world = await workerWorld(two)
  const good = await world.forHub()
  expect(good).toMatchObject({ hub: { ok: true }, database: { ok: true }, 'git of hub': { ok: true } })
  const elsewhere = await world.forHub({ DRYDOCK_DATABASE_URL: new URL('/postgres', world.database).href })
  expect(elsewhere).toMatchObject({ hub: { ok: true }, database: { ok: false }, 'git of hub': { ok: true } })
  const { hub, ...rest } = await world.forHub({ DRYDOCK_HUB_TOKEN: `drydock_hub_${'x'.repeat(43)}` })
  expect(hub).toMatchObject({ ok: false, found: expect.stringContaining('does not take this token') })
  expect(rest).not.toHaveProperty('database')
})

/** Reads a file of an editor's saved tree; empty if the file is missing. */
const textIn = (world: WorkerWorld, ref: string, file: string) =>
  world.inMirror('ls-tree', '--name-only', ref.split(' ')[0] ?? '').includes(file)
    ? world.inMirror('show', `${ref.split(' ')[0]}:${file}`)
    : ''

test('a story outlives its hub, a worker that is drained, and a worker that burns down', async () => {
  const world = await workerWorld(twiceWaitingLanes)
  const one = await world.worker('one', '--coders', '1')
  const run = await world.build()
  const gate = await reachGate(one)
  world.hub.child.kill('SIGKILL')
  await world.hub.ended
  await one.line(/Nothing new is begun until it answers/)
  const { stream } = await world.again(0)
  await one.line(/The hub answers again/)

  const two = await world.worker('two', '--coders', '1')
  expect(await world.fixture.drydock('hub', 'drain', 'one', '--no-wait')).toMatchObject({ exitCode: 0 })
  await one.line(/The hub wants this worker to end/)
  await gate.open()
  expect(await one.ended).toMatchObject({ exitCode: 0 })
  await reachGate(two)
  // The hub gets an editor's files soon after the turn that wrote them.
  const isKept = () =>
    world.refs().some((ref) => ref.includes('/looks/') && textIn(world, ref, 'alpha.txt') === 'alpha')
  await vi.waitUntil(isKept, 60_000)
  await burn(two)
  await world.worker('three', '--coders', '1')

  // The command is not repeated, since it may have run.
  expect(await resultOf({ stream }, run)).toMatchObject({ status: 'DONE' })
  const moved = stream.events.filter(({ type }) => type === 'workspace_moved')
  expect(moved).toMatchObject([
    { data: { from: one.host, lost: false } },
    { data: { from: two.host, lost: true, snapshot: expect.any(String) } },
  ])
  expect(await world.fixture.git('show', `${branch}:alpha.txt`)).toBe('alpha')
  expect(await world.fixture.git('ls-tree', '--name-only', branch)).toContain('kept.txt')
  expect(JSON.stringify(await world.get(`/api/runs/${run}/chat`))).toContain(`The machine ${two.host} is gone.`)
  expect((await world.fixture.drydock('receipt', 'verify', branch)).exitCode).toBe(0)
}, 400_000)
