import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findGate, gatedLanes } from '../scenarios/world/process.ts'
import { burn, type WorkerWorld, workerWorld } from './worker-world.ts'

async function resultOf({ stream }: WorkerWorld, run: string) {
  const event = await stream.until((each) => each.type === 'result' && each.run === run)
  return event.data as { readonly status: string; readonly branch: string }
}

test('the files of a task in a workspace of a worker are kept when it is cancelled', async () => {
  const world = await workerWorld(gatedLanes)
  const one = await world.worker('one', '--coders', '1')
  const run = await world.task('say new')
  await findGate(join(one.state, 'workspaces', 'one-001'))
  expect(await world.post(`/api/runs/${run}/cancel`)).toBe(202)
  expect(await resultOf(world, run)).toMatchObject({ status: 'CANCELLED' })
  const { workers } = await world.workers()
  expect(workers.flatMap(({ slots }) => slots.filter(({ run: holder }) => holder !== null))).toEqual([])
})

test('a command of the hub has a worker verify the working tree', async () => {
  const world = await workerWorld({})
  await world.worker('one', '--coders', '1')
  await world.fixture.write({ 'value.txt': 'new\n' })
  const verified = await world.fixture.drydock('verify', '--json')
  expect(verified.exitCode, verified.stderr).toBe(0)
  expect(verified.events.at(-1)).toMatchObject({ outcome: { code: 'PASS' } })
})

test('work of a lost worker continues without a hub on the machine of the state', async () => {
  const world = await workerWorld(gatedLanes)
  const one = await world.worker('one', '--coders', '1')
  const run = await world.task('say new')
  await findGate(join(one.state, 'workspaces', 'one-001'))
  world.hub.child.kill('SIGKILL')
  await world.hub.ended
  await burn(one)
  const resumed = await world.fixture.drydock('resume', run, '--json')
  expect(resumed.events.findLast(({ type }) => type === 'result')).toMatchObject({ status: 'DONE' })
})
