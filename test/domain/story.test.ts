import { expect, test } from 'vitest'
import { newStory, slotOf, taskOf } from '../../src/domain/story/story.ts'

const planned = {
  id: 'clock',
  title: 'A clock',
  content: 'Shows the time.\n',
  acceptance_criteria: ['it ticks'],
  depends_on: ['face'],
  files_hint: ['clock.ts'],
}

test('an editor is given title, content, criteria and files of its planned story, and nothing of others', () => {
  expect(taskOf(planned)).toEqual({
    text: 'A clock\n\nShows the time.',
    constraints: [],
    non_goals: [],
    acceptance_criteria: ['it ticks'],
    files: ['clock.ts'],
  })
})

test('the slot of a story is the one that it holds, and asking for one that it has not is a bug', () => {
  const story = { name: 'clock', task: taskOf(planned), planned, dryRun: false, base: 'abc' }
  const held = newStory({ ...story, slot: 'coder-002' })
  expect(slotOf({ id: 'run/clock', state: 'CODING', data: held })).toBe('coder-002')
  const waiting = newStory({ ...story, slot: null })
  expect(() => slotOf({ id: 'run/clock', state: 'MERGING', data: waiting })).toThrow('run/clock has no slot in MERGING')
})
