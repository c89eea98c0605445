import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { workerProtocol } from '../../src/domain/worker/shared-state.ts'
import { greenStory, type Lanes, specLanes, submit, writeFile } from '../scenarios/world/crew.ts'
import { call } from '../scenarios/world/fixture.ts'
import { findGate } from '../scenarios/world/process.ts'
import { answerAs, burn, type Worker, type WorkerWorld, workerWorld } from './worker-world.ts'

const two: Lanes = { ...specLanes('alpha', 'beta'), ...greenStory('alpha'), ...greenStory('beta') }

/** A command that writes a file, and ends when the test opens the gate. */
const atGate = call('run_command', { command: 'echo late > late.txt && mkfifo gate && cat gate && rm gate' })

/** One story, whose editor waits at a gate after it has written a file and looked at its diff. */
const waiting: Lanes = {
  ...specLanes('alpha'),
  ...greenStory('alpha'),
  'editor/alpha/CODING': [
    writeFile('alpha.txt', 'half\n'),
    call('get_diff', {}),
    writeFile('kept.txt', 'kept\n'),
    atGate,
    writeFile('alpha.txt', 'alpha\n'),
    submit('alpha'),
  ],
}

async function resultOf({ stream }: WorkerWorld, run: string) {
  const event = await stream.until((each) => each.type === 'result' && each.run === run)
  return event.data as { readonly status: string }
}

/** The gate of the only story, whose slot is that of this worker. */
async function reachGate(worker: Worker) {
  const slot = `${worker.host.split('/')[0]}-001`
  return findGate(join(worker.state, 'workspaces', slot))
}

const has = (world: WorkerWorld, ref: string, file: string) =>
  world.inMirror('ls-tree', '--name-only', ref.split(' ')[0] ?? '').includes(file)

const branch = 'drydock/make-the-files'

test('a run is built on two workers, and its receipts are valid at the hub', { timeout: 120_000 }, async () => {
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
})

test('a worker that burns down loses no run, and everybody is told what is lost', { timeout: 180_000 }, async () => {
  const world = await workerWorld(waiting)
  const one = await world.worker('one', '--coders', '1')
  const run = await world.build()
  await reachGate(one)
  await world.worker('two', '--coders', '1')
  // What an editor has written in a turn is at the hub soon after it.
  await vi.waitUntil(() => world.refs().some((ref) => ref.includes('/looks/') && has(world, ref, 'kept.txt')), 20_000)
  const burnt = performance.now()
  await burn(one)
  // The last look may have been taken while the command was already writing.
  const look = world.refs().find((ref) => ref.includes('/looks/')) ?? ''
  const isLateKept = has(world, look, 'late.txt')
  const moved = await world.stream.until(({ type }) => type === 'workspace_moved')
  expect(moved).toMatchObject({ story: 'alpha', data: { from: one.host, lost: true, snapshot: expect.any(String) } })
  await world.stream.until(({ type, id }) => type === 'model_call' && id > moved.id)
  // 15 s of silence, and the workspace.
  expect(performance.now() - burnt).toBeLessThan(60_000)
  // The command is not run again: it may have happened.
  expect(await resultOf(world, run)).toMatchObject({ status: 'DONE' })
  expect(await world.fixture.git('show', `${branch}:alpha.txt`)).toBe('alpha')
  const chat = JSON.stringify(await world.get(`/api/runs/${run}/chat`))
  expect(chat).toContain(`The machine ${one.host} is gone.`)
  const files = await world.fixture.git('ls-tree', '--name-only', branch)
  expect(files).toContain('kept.txt')
  expect(files.includes('late.txt')).toBe(isLateKept)
})

test('a worker that is ended hands its stories over, and loses nothing', { timeout: 180_000 }, async () => {
  const world = await workerWorld(waiting)
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

test('a run on a worker is paused, resumed and cancelled at the hub, which keeps its work', {
  timeout: 180_000,
}, async () => {
  const world = await workerWorld(waiting)
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

test('a worker that was given up writes nothing when it wakes up', { timeout: 180_000 }, async () => {
  const world = await workerWorld(waiting)
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

test('a worker whose token is revoked ends', { timeout: 120_000 }, async () => {
  const world = await workerWorld(two)
  const one = await world.worker('one', '--coders', '1')
  await world.fixture.drydock('hub', 'token', 'revoke', 'one')
  const ended = await one.ended
  expect(ended.stderr).toContain('does not take this token')
  expect(ended.exitCode).not.toBe(130)
})

test('a worker of another protocol is refused, and one of a hub whose state is in a file', {
  timeout: 120_000,
}, async () => {
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

test('a token of a worker opens nothing but what workers need', { timeout: 120_000 }, async () => {
  const world = await workerWorld(two)
  expect((await world.asWorker('/api/worker')).status).toBe(200)
  expect((await world.asWorker('/api/runs')).status).toBe(403)
  expect((await world.ask('/api/worker')).status).toBe(403)
})
