import { expect, test, vi } from 'vitest'
import { workerProtocol } from '../../src/domain/worker/shared-state.ts'
import { otherVersion } from './other-version.ts'
import { reachGate, resultOf, type Worker, waitingLanes, workerWorld } from './worker-world.ts'

const branch = 'drydock/make-the-files'
const moveFrom = ({ host }: Worker) => ({ type: 'workspace_moved', data: { from: host, lost: false } })

test('a hub and its workers are updated one after the other, and a running run loses nothing', async () => {
  const newer = await otherVersion('99.0.0')
  const world = await workerWorld(waitingLanes)
  const one = await world.worker('one', '--coders', '1')
  const run = await world.build()
  const gate = await reachGate(one)
  world.use(newer)
  world.hub.child.kill('SIGTERM')
  await world.hub.ended
  await one.line(/Nothing new is begun until it answers/)
  const { stream } = await world.again(0)
  await one.line(/The hub answers again/)
  await world.worker('two', '--coders', '1')
  const shown = async () => (await world.workers()).workers.map(({ name, version, state }) => [name, version, state])
  const own = expect.not.stringMatching('99.0.0')
  const [named, twos] = [expect.stringMatching(/^one-/), expect.stringMatching(/^two-/)]
  const others = [twos, '99.0.0', 'working']
  const all = [['hub', '99.0.0', 'working'], [named, own, 'working'], others]
  await vi.waitFor(async () => expect(await shown()).toEqual(all), 60_000)

  const draining = world.fixture.drydock('hub', 'drain', 'one')
  await one.line(/The hub wants this worker to end/)
  await vi.waitFor(async () => expect((await shown())[1]).toEqual([named, own, 'draining']), 60_000)
  await gate.open()
  expect(await one.ended).toMatchObject({ exitCode: 0 })
  expect(await draining).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('ended') })
  expect(await resultOf({ stream }, run)).toMatchObject({ status: 'DONE' })
  expect(stream.events.filter(({ type }) => type === 'workspace_moved')).toMatchObject([moveFrom(one)])
  expect(await world.fixture.git('ls-tree', '--name-only', branch)).toContain('late.txt')
})

test('a hub that speaks another protocol does not start beside workers, and does once they are drained', async () => {
  const newer = await otherVersion('99.0.0', workerProtocol + 1)
  const world = await workerWorld(waitingLanes)
  const one = await world.worker('one', '--coders', '1')
  const run = await world.build()
  const gate = await reachGate(one)
  world.hub.child.kill('SIGTERM')
  await world.hub.ended
  world.use(newer)
  const refused = await world.tryHub().ended
  expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringMatching(/do not understand .*99\.0\.0: one-/)])
  expect(refused.stderr).toContain('drydock hub drain --all')
  // A hub prints its address once it listens.
  expect(refused.stdout).toBe('')

  world.use(null)
  const again = await world.again(0)
  const draining = world.fixture.drydock('hub', 'drain', '--all')
  await one.line(/The hub wants this worker to end/)
  await gate.open()
  expect(await one.ended).toMatchObject({ exitCode: 0 })
  expect(await draining).toMatchObject({ exitCode: 0 })
  again.hub.child.kill('SIGTERM')
  await again.hub.ended

  world.use(newer)
  const { stream } = await world.again(0)
  world.use(null)
  const old = await (await world.tryWorker('two')).ended
  expect([old.exitCode, old.stderr]).toEqual([2, expect.stringContaining('is Drydock 99.0.0 and speaks protocol')])
  world.use(newer)
  await world.worker('three', '--coders', '1')
  expect(await resultOf({ stream }, run)).toMatchObject({ status: 'DONE' })
  expect(await world.fixture.git('ls-tree', '--name-only', branch)).toContain('late.txt')
})
