import { expect, test } from 'vitest'
import { remains, runKilled, storedStory, survivors, timesCounted } from './kill.ts'

test('a story that is killed after each of its commits ends as one that never was', { timeout: 300_000 }, async () => {
  const calm = await storedStory()
  const stormy = await storedStory()
  expect(await runKilled(calm, 'never')).toBe(1)
  expect(await runKilled(stormy, 'after')).toBeGreaterThan(30)
  const expected = await remains(calm)
  expect(expected).toMatchObject({ verifications: ['FAIL', 'PASS'], jobs: [], value: 'new', userTree: '' })
  expect(await remains(stormy)).toEqual(expected)
  expect(await timesCounted(stormy)).toBeLessThanOrEqual(1)
  expect(survivors(stormy)).toEqual([])
  await calm.fixture.remove()
  await stormy.fixture.remove()
})
