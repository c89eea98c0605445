import { expect, test } from 'vitest'
import { expectSame, storedCrew } from './crew-kill.ts'
import { runKilled } from './kill.ts'

test('a crew that is killed after its commits, again and again, ends as one that never was', async () => {
  const calm = await storedCrew(1)
  const stormy = await storedCrew(1)
  expect(await runKilled(calm, 'never')).toBe(1)
  expect(
    await runKilled(
      stormy,
      'after',
      async () => false,
      (n) => 1 + (n % 5),
    ),
  ).toBeGreaterThan(10)
  await expectSame(stormy, calm)
})
