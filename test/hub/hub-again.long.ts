import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findGate, gatedLanes } from '../scenarios/world/process.ts'
import { workerWorld } from './worker-world.ts'

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
