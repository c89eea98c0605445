import { afterAll, describe, expect, test } from 'vitest'
import { createMemoryFixture } from '../../world/fixture.ts'
import { dies, diesAgainAndAgain } from '../../world/kills.ts'
import { alwaysGreen } from '../world/crew.ts'
import { crewConfig, expectWhole, remainsOfCrew, storeCrew } from './crew-kill.ts'
import { type lanesInTime, remains, storeStory, storyFiles, timesCounted } from './kill.ts'

const moments = ['after', 'before'] as const

const task = async (played?: typeof lanesInTime) => storeStory(await createMemoryFixture({ files: storyFiles }), played)
const crew = async (coders: number) =>
  storeCrew(await createMemoryFixture({ steps: [alwaysGreen], config: crewConfig }), coders)

describe('a task in processes that end without a word', () => {
  const calm = (async () => {
    const story = await task()
    expect(await dies(story, null)).toBe(false)
    return { story, left: await remains(story) }
  })()
  afterAll(async () => (await calm).story.fixture.remove())

  test.each(moments)('%s each of its commits ends as one that never did', async (moment) => {
    const story = await task()
    expect(await diesAgainAndAgain(story, moment)).toBeGreaterThan(30)
    expect(await remains(story)).toEqual((await calm).left)
    expect((await calm).left).toMatchObject({ verifications: ['FAIL', 'PASS'], isIdle: true, value: 'new' })
    expect(await timesCounted(story)).toBeLessThanOrEqual(1)
    await story.fixture.remove()
  })
})

describe.each([1, 2])('a crew with %i slots in processes that end without a word', (coders) => {
  test.each(moments)('%s each of its commits ends as one that never did', async (moment) => {
    const [calm, stormy] = [await crew(coders), await crew(coders)]
    expect(await dies(calm, null)).toBe(false)
    expect(await diesAgainAndAgain(stormy, moment)).toBeGreaterThan(30)
    for (const story of [calm, stormy]) await expectWhole(story)
    expect(await remainsOfCrew(stormy)).toEqual(await remainsOfCrew(calm))
    for (const story of [calm, stormy]) await story.fixture.remove()
  })
})
