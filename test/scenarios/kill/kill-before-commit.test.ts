import { expect, test } from 'vitest'
import { remains, runKilled, storedStory, survivors, timesCounted } from './kill.ts'

test('a story whose every step is done and lost once before it is committed ends as one that never was', {
  timeout: 300_000,
}, async () => {
  const calm = await storedStory()
  const stormy = await storedStory()
  await runKilled(calm, 'never')
  expect(await runKilled(stormy, 'before')).toBeGreaterThan(30)
  expect(await remains(stormy)).toEqual(await remains(calm))
  expect(await timesCounted(stormy)).toBe(1)
  expect(survivors(stormy)).toEqual([])
  await calm.fixture.remove()
  await stormy.fixture.remove()
})
