import { afterEach, expect, test } from 'vitest'
import { greenStory, type StoryInput, specLanes } from '../scenarios/world/crew.ts'
import { firstMove, play, statesOf } from '../scenarios/world/crew-script.ts'
import { createCrewFixture, type Fixture } from '../world/fixture.ts'

let fixture: Fixture
afterEach(() => fixture.remove())

async function builtInTwoSlots(...stories: readonly StoryInput[]) {
  fixture = await createCrewFixture()
  const lanes = Object.assign(specLanes(...stories), ...stories.map(({ id }) => greenStory(id)))
  const built = await play(fixture, { lanes }, '--max-coders', '2')
  expect(statesOf(built)).toEqual(Object.fromEntries(stories.map(({ id }) => [id, 'DONE'])))
  return (story: string, to: string) => firstMove(built, story, to)
}

test('a story whose files another works on is passed over while there is one that shares none', async () => {
  const moved = await builtInTwoSlots(
    { id: 'first', files_hint: ['a.txt', 'b.txt'] },
    { id: 'second', files_hint: ['b.txt', 'c.txt'] },
    { id: 'third', files_hint: ['d.txt'] },
  )
  expect(moved('third', 'SETUP')).toBeLessThan(moved('second', 'SETUP'))
  expect(moved('first', 'SETUP')).toBeLessThan(moved('third', 'SETUP'))
})

test('two stories that share a file are built side by side rather than leave a slot empty', async () => {
  const moved = await builtInTwoSlots({ id: 'first', files_hint: ['a.txt'] }, { id: 'second', files_hint: ['a.txt'] })
  expect(moved('second', 'SETUP')).toBeLessThan(moved('first', 'PLANNING'))
})
