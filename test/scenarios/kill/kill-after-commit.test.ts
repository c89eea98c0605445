import { expect, test } from 'vitest'
import { remains, runKilled, sampled, storedStory, survivors, timesCounted } from './kill.ts'

test('a story that is killed after its commits, again and again, ends as one that never was', async () => {
  const calm = await storedStory()
  const stormy = await storedStory()
  expect(await runKilled(calm, 'never')).toBe(1)
  expect(await runKilled(stormy, 'after', undefined, sampled)).toBeGreaterThan(15)
  const expected = await remains(calm)
  expect(expected).toMatchObject({ verifications: ['FAIL', 'PASS'], isIdle: true, value: 'new', userTree: '' })
  expect(await remains(stormy)).toEqual(expected)
  expect(await timesCounted(stormy)).toBeLessThanOrEqual(1)
  expect(survivors(stormy)).toEqual([])
  await calm.fixture.remove()
  await stormy.fixture.remove()
})
