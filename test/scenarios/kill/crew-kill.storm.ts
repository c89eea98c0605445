import { expect, test } from 'vitest'
import { createDatabase } from '../../postgres/server.ts'
import { randomOf } from '../../random.ts'
import { expectSame, expectWhole, storedCrew } from './crew-kill.ts'
import { runKilled } from './kill.ts'

/**
 * A crew that is killed at every commit, and crews that are killed at one commit each: every
 * seventh one, from a start that `STORM_SEED` draws for each crew. `STORM_EVERY=1` takes every
 * commit, for an hour.
 */
const timeout = 3_600_000
const seed = Number(process.env.STORM_SEED ?? Date.now() % 100_000)
const every = Number(process.env.STORM_EVERY ?? 7)
const random = randomOf(seed)

const cases = ['a file', 'PostgreSQL'].flatMap((place) => [1, 2].map((coders) => ({ place, coders })))

for (const { place, coders } of cases) {
  for (const moment of ['after', 'before'] as const) {
    const crew = `a crew with ${coders} ${coders === 1 ? 'slot' : 'slots'} on ${place}`
    const stored = async () =>
      storedCrew(coders, place === 'a file' ? {} : { DRYDOCK_DATABASE_URL: (await createDatabase()).url })

    test(`${crew} that is killed ${moment} every commit ends as one that never was`, { timeout }, async () => {
      const calm = await storedCrew(coders)
      const stormy = await stored()
      await runKilled(calm, 'never')
      expect(await runKilled(stormy, moment)).toBeGreaterThan(30)
      await expectSame(stormy, calm)
    })

    const start = 1 + Math.floor(random() * every)
    test(`${crew} that is killed once, ${moment} commit ${start} or each ${every} later (seed ${seed}), comes to its end`, {
      timeout,
    }, async () => {
      let killed = true
      for (let far = start; killed; far += every) {
        const story = await stored()
        killed = false
        const note = async () => {
          killed = true
          return true
        }
        await runKilled(story, moment, note, () => far)
        await runKilled(story, 'never')
        await expectWhole(story)
        await story.fixture.remove()
      }
    })
  }
}
