import { expect, onTestFinished, test } from 'vitest'
import { greenStory, type Lanes, specLanes } from '../scenarios/world/crew.ts'
import { startWireCrew, type WireCrew } from '../scenarios/world/wire-crew.ts'
import { burn, resultOf, workerWorld } from './worker-world.ts'

const lanes: Lanes = { ...specLanes('alpha'), ...greenStory('alpha') }

test.each([
  'editor/alpha/PLANNING',
  'architect/REQUEST/plan/alpha/1',
  'editor/alpha/CODING',
  'architect/REQUEST/code/alpha/1',
])('a call of %s whose worker is killed is asked once more, and each answer is stored', async (lane) => {
  const reached = Promise.withResolvers<void>()
  const dead = Promise.withResolvers<null>()
  let crew: WireCrew | null = null
  const world = await workerWorld(
    {},
    {
      async model(fixture) {
        let isFirst = true
        crew = await startWireCrew(fixture, lanes, async (heard) => {
          if (heard.lane !== lane || !isFirst) return null
          isFirst = false
          reached.resolve()
          return dead.promise
        })
        onTestFinished(() => crew?.close())
        return crew.model
      },
    },
  )
  const one = await world.worker('one', '--coders', '1')
  const run = await world.build()
  await reached.promise
  await world.worker('two', '--coders', '1')
  await burn(one)
  dead.resolve(null)
  expect(await resultOf(world, run)).toMatchObject({ status: 'DONE' })
  const records = (await world.fixture.open()).openRecords()
  const [stored, spent] = [await records.modelCalls(run), await records.spent(run)]
  await records.close()
  const heard = (crew as WireCrew | null)?.heard ?? []
  expect([heard.length, spent.reserved.tokens]).toEqual([stored.length + 1, 0])
})
