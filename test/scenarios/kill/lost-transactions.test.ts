import { expect, test } from 'vitest'
import { createMemoryFixture, type MemoryOptions } from '../../world/fixture.ts'
import { dies } from '../../world/kills.ts'
import { alwaysGreen } from '../world/crew.ts'
import { crewConfig, expectWhole, remainsOfCrew, storeCrew } from './crew-kill.ts'
import { lanesInTime, remains, storeStory, storyFiles } from './kill.ts'

/** Loses each transaction right before its commit, so that it starts again. */
function losing() {
  let lost = 0
  let isAgain = false
  const isLost = () => {
    isAgain = !isAgain
    lost += isAgain ? 1 : 0
    return isAgain
  }
  return { isLost, lost: () => lost }
}

test('a task whose transactions are all lost once ends as one that lost none, with the same calls', async () => {
  const task = async (more: MemoryOptions = {}) =>
    storeStory(await createMemoryFixture({ files: storyFiles, ...more }), lanesInTime)
  const losses = losing()
  const [calm, stormy] = [await task(), await task({ isLost: losses.isLost })]
  for (const story of [calm, stormy]) expect(await dies(story, null)).toBe(false)
  expect(losses.lost()).toBeGreaterThan(30)
  expect(await remains(stormy)).toEqual(await remains(calm))
  for (const { fixture } of [calm, stormy]) await fixture.remove()
})

test('a crew whose transactions are all lost once ends as one that lost none', async () => {
  const crew = async (more: MemoryOptions = {}) =>
    storeCrew(await createMemoryFixture({ steps: [alwaysGreen], config: crewConfig, ...more }), 2)
  const losses = losing()
  const [calm, stormy] = [await crew(), await crew({ isLost: losses.isLost })]
  for (const story of [calm, stormy]) {
    expect(await dies(story, null)).toBe(false)
    await expectWhole(story)
  }
  expect(losses.lost()).toBeGreaterThan(30)
  expect(await remainsOfCrew(stormy)).toEqual(await remainsOfCrew(calm))
  for (const { fixture } of [calm, stormy]) await fixture.remove()
})
