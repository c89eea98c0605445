import { describe, expect, test } from 'vitest'
import { createMemoryFixture } from '../../world/fixture.ts'
import { atCommit, dies } from '../../world/kills.ts'
import { alwaysGreen } from '../world/crew.ts'
import { crewConfig, expectWhole, storeCrew } from './crew-kill.ts'
import { lanesInTime, remains, storeStory, storyFiles } from './kill.ts'

const task = async (played?: typeof lanesInTime) => storeStory(await createMemoryFixture({ files: storyFiles }), played)
const crew = async (coders: number) =>
  storeCrew(await createMemoryFixture({ steps: [alwaysGreen], config: crewConfig }), coders)

describe('a task in processes that end without a word', () => {
  test('once before any of its commits ends as one that never did', async () => {
    const whole = await task(lanesInTime)
    expect(await dies(whole, null)).toBe(false)
    const left = await remains(whole)
    await whole.fixture.remove()
    let commit = 0
    for (let isOver = false; !isOver; ) {
      commit += 1
      const story = await task(lanesInTime)
      isOver = !(await dies(story, atCommit('before', commit)))
      if (!isOver) expect(await dies(story, null)).toBe(false)
      expect(await remains(story), `commit ${commit}`).toEqual(left)
      await story.fixture.remove()
    }
    expect(commit).toBeGreaterThan(30)
  })
})

test('a crew whose process ends once before any of its commits comes to its end', async () => {
  // One slot, since with two the order of commits varies.
  let commit = 0
  for (let isOver = false; !isOver; ) {
    commit += 1
    const story = await crew(1)
    isOver = !(await dies(story, atCommit('before', commit)))
    if (!isOver) expect(await dies(story, null)).toBe(false)
    await expectWhole(story)
    await story.fixture.remove()
  }
  expect(commit).toBeGreaterThan(50)
})
