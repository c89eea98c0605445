import { expect, test } from 'vitest'
import { expectSame, storedCrew } from '../scenarios/kill/crew-kill.ts'
import { runKilled } from '../scenarios/kill/kill.ts'
import { storedStorm, weather } from '../scenarios/kill/storm.ts'
import { expectWeathered } from '../scenarios/kill/storm-remains.ts'
import { startHook } from '../scenarios/world/hook.ts'
import { createDatabase } from './server.ts'

/** Every process gets some commits further than the previous one. */
const far = (processes: number) => 3 + (processes % 5)

test.each(['after', 'before'] as const)(
  'a crew on PostgreSQL that is killed %s its commits ends as one in a file that never was',
  async (moment) => {
    const database = await createDatabase()
    const calm = await storedCrew(1)
    const stormy = await storedCrew(1, { DRYDOCK_DATABASE_URL: database.url })
    expect(await runKilled(calm, 'never')).toBe(1)
    expect(await runKilled(stormy, moment, undefined, far)).toBeGreaterThan(3)
    await expectSame(stormy, calm)
    database.drop()
  },
)

test('a crew on PostgreSQL whose processes, sandboxes and gits are killed builds all its stories, each once', async () => {
  const database = await createDatabase()
  const hook = await startHook()
  const seed = Date.now() % 100_000
  const story = await storedStorm({ stories: 5, coders: 4, hook, env: { DRYDOCK_DATABASE_URL: database.url } })
  const struck = await weather(story, { blows: 6, stopMs: 2_000, seed })
  await expectWeathered(story, hook)
  await story.fixture.remove()
  database.drop()
  // The stories may be built before the last kills.
  const blows = Object.values(struck).reduce((sum, n) => sum + n, 0)
  expect(blows, `seed ${seed}`).toBeGreaterThan(0)
})
