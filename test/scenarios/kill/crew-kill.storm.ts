import { expect, test } from 'vitest'
import { createDatabase } from '../../postgres/server.ts'
import { expectSame, expectWhole, storedCrew } from './crew-kill.ts'
import { runKilled } from './kill.ts'

/**
 * Every commit point there is, which takes minutes: `npm run test:long -- storm`. The tests of every day take
 * samples of them.
 */
const timeout = 3_600_000

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

    test(`${crew} that is killed once, ${moment} any of its commits, comes to its end`, { timeout }, async () => {
      let killed = true
      for (let far = 1; killed; far += 1) {
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
