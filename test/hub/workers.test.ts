import { expect, test, vi } from 'vitest'
import { workerProtocol } from '../../src/domain/worker/shared-state.ts'
import { greenStory, type Lanes, specLanes } from '../scenarios/world/crew.ts'
import { runHere } from '../scenarios/world/fixture.ts'
import { launch } from '../scenarios/world/process.ts'
import {
  answerAs,
  burn,
  insistingLanes,
  reachGate,
  resultOf,
  type WorkerWorld,
  waitingLanes,
  workerWorld,
} from './worker-world.ts'

const two: Lanes = { ...specLanes('alpha', 'beta'), ...greenStory('alpha'), ...greenStory('beta') }

const has = (world: WorkerWorld, ref: string, file: string) =>
  world.inMirror('ls-tree', '--name-only', ref.split(' ')[0] ?? '').includes(file)

const branch = 'drydock/make-the-files'

test('a run is built on two workers, and its receipts are valid at the hub', async () => {
  const world = await workerWorld(two)
  const workers = [await world.worker('one', '--coders', '1'), await world.worker('two', '--coders', '1')]
  const run = await world.build()
  expect(await resultOf(world, run)).toMatchObject({ status: 'DONE' })
  const { fixture } = world
  for (const file of ['alpha', 'beta']) expect(await fixture.git('show', `${branch}:${file}.txt`)).toBe(file)
  for (const commit of [branch, `${branch}~1`]) {
    const verified = await fixture.drydock('receipt', 'verify', commit)
    expect(verified.exitCode, verified.stderr).toBe(0)
  }
  const { workers: shown } = await world.workers()
  expect(shown.map(({ name, slots }) => [name, slots.length])).toEqual([
    ['hub', 0],
    [expect.stringMatching(/^one-/), 1],
    [expect.stringMatching(/^two-/), 1],
  ])
  expect((await fixture.drydock('hub', 'workers')).stdout).toContain(workers[0]?.host)
  expect((await fixture.drydock('doctor')).stdout).toContain('the hub is running; workers: 2 working')
})

test('a worker that burns down loses no run, and everybody is told what is lost', async () => {
  const world = await workerWorld(waitingLanes)
  const one = await world.worker('one', '--coders', '1')
  const run = await world.build()
  await reachGate(one)
  await world.worker('two', '--coders', '1')
  // What an editor has written in a turn is at the hub soon after it.
  await vi.waitUntil(() => world.refs().some((ref) => ref.includes('/looks/') && has(world, ref, 'kept.txt')), 60_000)
  await burn(one)
  // The last look may have been taken while the command was already writing.
  const look = world.refs().find((ref) => ref.includes('/looks/')) ?? ''
  const isLateKept = has(world, look, 'late.txt')
  const moved = await world.stream.until(({ type }) => type === 'workspace_moved')
  expect(moved).toMatchObject({ story: 'alpha', data: { from: one.host, lost: true, snapshot: expect.any(String) } })
  const lost = (await world.workers()).workers.find(({ host }) => host === one.host)
  expect(lost).toMatchObject({ state: 'lost', slots: [], silent_s: null })
  await world.stream.until(({ type, id }) => type === 'model_call' && id > moved.id)
  // The command is not run again: it may have happened.
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
  // Its calls are stored, and the last of them hands in what lies on this machine alone.
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

test('who waits for a drained worker does not wait for the one that follows it on its machine', async () => {
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

test('the address of a hub is read by one rule, also by worker and doctor', async () => {
  const said = async (...args: readonly string[]) => {
    const { exitCode, stderr } = await runHere(args, {})
    return `${exitCode} ${stderr}`
  }
  for (const command of [
    ['worker', '--hub'],
    ['doctor', '--for-hub'],
  ]) {
    expect(await said(...command, 'https://hub.example.com/path')).toMatch(/^2 .*must be an origin/)
    expect(await said(...command, 'http://hub.example.com')).toMatch(/^2 .*in the clear/)
    expect(await said(...command, 'hub')).toMatch(/^2 .*must be an http or https URL/)
  }
  expect(await said('worker')).toMatch(/^2 .*Name the hub with --hub/)
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

test('a worker whose token is revoked ends', async () => {
  const world = await workerWorld(two)
  const one = await world.worker('one', '--coders', '1')
  await world.fixture.drydock('hub', 'token', 'revoke', 'one')
  const ended = await one.ended
  expect(ended.stderr).toContain('does not take this token')
  expect(ended.exitCode).not.toBe(130)
})

test('a worker of another protocol is refused, and one of a hub whose state is in a file', async () => {
  const world = await workerWorld(two)
  const shared = JSON.parse((await world.asWorker('/api/worker')).body)
  const other = await answerAs({ ...shared, protocol: workerProtocol + 1, version: '99.0.0' })
  const refused = await (await world.tryWorker('one', {}, '--hub', other)).ended
  expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('Drydock 99.0.0')])
  expect(refused.stderr).toContain('Update the hub first')
  const [code, message, todo] = ['no_shared_state', 'The state of this hub is in a file.', 'Bring it to PostgreSQL.']
  const inFile = await answerAs({ code, message, todo }, 409)
  const told = await (await world.tryWorker('two', {}, '--hub', inFile)).ended
  expect([told.exitCode, told.stderr]).toEqual([2, expect.stringContaining(message)])
})

test('a token of a worker opens nothing but what workers need', async () => {
  const world = await workerWorld(two)
  expect((await world.asWorker('/api/worker')).status).toBe(200)
  expect((await world.asWorker('/api/runs')).status).toBe(403)
  expect((await world.ask('/api/worker')).status).toBe(403)
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
