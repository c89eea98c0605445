import { expect, test } from 'vitest'
import { remains, runKilled, storedStory, survivors, timesCounted } from './kill.ts'

test.each(['after', 'before'] as const)(
  'a story that is killed %s every commit ends as one that never was',
  { timeout: 3_600_000 },
  async (moment) => {
    const calm = await storedStory()
    const stormy = await storedStory()
    await runKilled(calm, 'never')
    expect(await runKilled(stormy, moment)).toBeGreaterThan(30)
    expect(await remains(stormy)).toEqual(await remains(calm))
    expect(await timesCounted(stormy)).toBeLessThanOrEqual(1)
    expect(survivors(stormy)).toEqual([])
    await calm.fixture.remove()
    await stormy.fixture.remove()
  },
)
