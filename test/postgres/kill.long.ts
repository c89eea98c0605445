import { expect, test } from 'vitest'
import { remains, runKilled, storedStory, survivors, timesCounted } from '../scenarios/kill/kill.ts'
import { createDatabase } from './server.ts'

/** Every process gets some commits further than the previous one. */
const far = (processes: number) => 5 + (processes % 3)

test('a story on PostgreSQL whose processes are killed ends as one in a file that never was', async () => {
  const database = await createDatabase()
  const calm = await storedStory()
  const stormy = await storedStory({ DRYDOCK_DATABASE_URL: database.url })
  expect(await runKilled(calm, 'never')).toBe(1)
  // First before a commit, and then after one.
  let killed = 0
  await runKilled(stormy, 'before', async () => ++killed === 4, far)
  expect(await runKilled(stormy, 'after', undefined, far)).toBeGreaterThan(3)
  expect(await remains(stormy)).toEqual(await remains(calm))
  expect(await timesCounted(stormy)).toBeLessThanOrEqual(1)
  expect(survivors(stormy)).toEqual([])
  await calm.fixture.remove()
  await stormy.fixture.remove()
  database.drop()
})
