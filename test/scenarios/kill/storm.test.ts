import { expect, test } from 'vitest'
import { startHook } from '../world/hook.ts'
import { storedStorm, weather } from './storm.ts'
import { expectWeathered } from './storm-remains.ts'

/** A short one; a long one is `npm run test:long -- storm`. */
test('a crew whose processes, sandboxes and gits are killed and stopped at random builds all its stories, each once', async () => {
  const hook = await startHook()
  const seed = Date.now() % 100_000
  const story = await storedStorm({ stories: 6, coders: 4, hook })
  const struck = await weather(story, { blows: 8, stopMs: 2_000, seed })
  await expectWeathered(story, hook)
  await story.fixture.remove()
  const blows = Object.values(struck).reduce((sum, n) => sum + n, 0)
  // The stories may be built before the last blows come.
  expect(blows, `seed ${seed}`).toBeGreaterThan(0)
})
