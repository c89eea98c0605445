import { expect, test } from 'vitest'
import { createDatabase } from '../../postgres/server.ts'
import { startHook } from '../world/hook.ts'
import { storedStorm, weather } from './storm.ts'
import { expectWeathered } from './storm-remains.ts'

/** `STORM_SEED` repeats a storm. */
const seed = Number(process.env.STORM_SEED ?? Date.now() % 100_000)

test.each(['a file', 'PostgreSQL'])(
  `20 stories by 4 editors on %s weather 50 blows (seed ${seed})`,
  {
    timeout: 3_600_000,
  },
  async (place) => {
    const database = place === 'a file' ? null : await createDatabase()
    const env = database === null ? {} : { DRYDOCK_DATABASE_URL: database.url }
    const hook = await startHook()
    const story = await storedStorm({ stories: 20, coders: 4, hook, env })
    const struck = await weather(story, { blows: 50, stopMs: 30_000, seed })
    process.stderr.write(`storm ${seed} on ${place}: ${JSON.stringify(struck)}\n`)
    await expectWeathered(story, hook)
    await story.fixture.remove()
    database?.drop()
    expect(Object.values(struck).reduce((sum, n) => sum + n, 0)).toBe(50)
  },
)
