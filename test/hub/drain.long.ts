import { expect, test } from 'vitest'
import { reachGate, resultOf, waitingLanes, workerWorld } from './worker-world.ts'

test('a worker is drained on its own machine, by its own token: its story continues elsewhere, and nothing is lost', async () => {
  const world = await workerWorld(waitingLanes)
  const one = await world.worker('one', '--coders', '1')
  const run = await world.build()
  const gate = await reachGate(one)
  await world.worker('two', '--coders', '1')
  const env = { DRYDOCK_HUB_TOKEN: one.token }
  const draining = await world.tryWorker('one', env, '--drain')
  expect(JSON.parse(await draining.line(/hub_worker_drains/))).toMatchObject({ host: one.host })
  await one.line(/The hub wants this worker to end/)
  await gate.open()
  expect(await one.ended).toMatchObject({ exitCode: 0 })
  const drained = await draining.ended
  expect([drained.exitCode, drained.events.at(-1)]).toMatchObject([0, { type: 'hub_worker_ended', host: one.host }])
  expect(await resultOf(world, run)).toMatchObject({ status: 'DONE' })
  const moved = world.stream.events.filter(({ type }) => type === 'workspace_moved')
  expect(moved).toMatchObject([{ data: { from: one.host, lost: false } }])

  const again = await (await world.tryWorker('one', env, '--drain')).ended
  expect([again.exitCode, again.stderr]).toEqual([2, expect.stringContaining('is at work')])
  const other = await (await world.tryWorker('other', env, '--drain')).ended
  expect([other.exitCode, other.stderr]).toEqual([2, expect.stringContaining('has worked for')])
  const without = await (await world.tryWorker('one', env, '--no-wait')).ended
  expect([without.exitCode, without.stderr]).toEqual([2, expect.stringContaining('--no-wait belongs to')])
})
