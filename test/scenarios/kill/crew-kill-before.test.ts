import { expect, test } from 'vitest'
import { expectSame, storedCrew } from './crew-kill.ts'
import { runKilled } from './kill.ts'

test('a crew of two that loses its steps before they are committed ends as one that never did', async () => {
  const calm = await storedCrew(2)
  const stormy = await storedCrew(2)
  expect(await runKilled(calm, 'never')).toBe(1)
  expect(
    await runKilled(
      stormy,
      'before',
      async () => false,
      (n) => 1 + (n % 5),
    ),
  ).toBeGreaterThan(10)
  await expectSame(stormy, calm)
})
