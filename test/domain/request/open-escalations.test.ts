import { expect, test } from 'vitest'
import { openEscalationsOf } from '../../../src/domain/request/open-escalations.ts'
import type { StoryState } from '../../../src/domain/story/story-machine.ts'

const findings = [
  { id: 'c1', severity: 'major', state: 'open' },
  { id: 'c2', severity: 'minor', state: 'open' },
  { id: 'c3', severity: 'major', state: 'accepted' },
]

/** The rows of a story that was stopped in a state, and then asked a human. */
function asking(origin: StoryState) {
  const reviews = { plan: { findings: [] }, code: { findings }, completion: { findings: [] } }
  const story = { state: 'ESCALATED', data: { escalation: '5', origin, reviews } }
  const run = { state: 'MONITORING', data: { escalation: null, interview: { asked: [] } } }
  return { run, stories: [story], requests: [], asked: [{ id: '5' }] } as unknown as Parameters<
    typeof openEscalationsOf
  >[0]
}

test('a question of a review is about the findings that hold the story', () => {
  expect(openEscalationsOf(asking('CODE_REVIEW'))).toMatchObject([{ message: { id: '5' }, findings: ['c1'] }])
})

test('one for another reason is about none, even while findings are open: accepting them would not answer it', () => {
  for (const origin of ['CODING', 'PLANNING', 'MERGING', 'COMPLETION_REVIEW'] as const)
    expect(openEscalationsOf(asking(origin))).toMatchObject([{ findings: [] }])
})
