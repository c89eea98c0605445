import { expect, test } from 'vitest'
import { greenStory, specLanes } from '../scenarios/world/crew.ts'
import { workerWorld } from './worker-world.ts'

const two = { ...specLanes('alpha', 'beta'), ...greenStory('alpha'), ...greenStory('beta') }

test('a run is built on two workers, and its receipts are valid at the hub', { timeout: 120_000 }, async () => {
  const world = await workerWorld(two)
  await world.worker('one', '--coders', '1')
  await world.worker('two', '--coders', '1')
  const run = await world.build()
  const result = await world.stream.until((event) => event.type === 'result' && event.run === run)
  expect(result).toMatchObject({ status: 'DONE' })
})
