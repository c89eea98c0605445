import { expect, test } from 'vitest'
import { remains, runKilled, sampled, storedStory, survivors, timesCounted } from './kill.ts'

test('a story whose steps are done and lost before they are committed ends as one that never was', async () => {
  const calm = await storedStory()
  const stormy = await storedStory()
  await runKilled(calm, 'never')
  expect(await runKilled(stormy, 'before', undefined, sampled)).toBeGreaterThan(15)
  expect(await remains(stormy)).toEqual(await remains(calm))
  expect(await timesCounted(stormy)).toBe(1)
  expect(survivors(stormy)).toEqual([])
  await calm.fixture.remove()
  await stormy.fixture.remove()
})
