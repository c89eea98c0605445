import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findGate, gatedLanes } from '../scenarios/world/process.ts'
import { workerWorld } from './worker-world.ts'

test('a hub that is killed and started again goes on with its workers, which lose nothing', async () => {
  const world = await workerWorld(gatedLanes)
  const one = await world.worker('one', '--coders', '1')
  const run = await world.task('say new')
  const gate = await findGate(join(one.state, 'workspaces', 'one-001'))
  world.hub.child.kill('SIGKILL')
  await world.hub.ended
  await one.line(/Nothing new is begun until it answers/)
  await gate.open()
  const { stream } = await world.again(0)
  await one.line(/The hub answers again/)
  const result = await stream.until((event) => event.type === 'result' && event.run === run)
  expect(result.data).toMatchObject({ status: 'DONE' })
  expect(stream.events.filter(({ type }) => type === 'workspace_moved')).toEqual([])
})

test('a hub that leaves its stories to workers hands over what it was working on', async () => {
  const world = await workerWorld(gatedLanes, { coders: 1 })
  const run = await world.task('say new')
  const { state } = await world.fixture.open()
  await findGate(join(state, 'workspaces', 'coder-001'))
  world.hub.child.kill('SIGKILL')
  await world.hub.ended
  const { stream } = await world.again(0)
  await world.worker('one', '--coders', '1')
  const result = await stream.until((event) => event.type === 'result' && event.run === run)
  expect(result.data).toMatchObject({ status: 'DONE' })
  const moved = stream.events.filter(({ type }) => type === 'workspace_moved')
  expect(moved).toMatchObject([{ data: { from: 'local', lost: false } }])
})
