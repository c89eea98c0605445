import { describe, expect, test } from 'vitest'
import type { NewEvent } from '../../src/domain/event.ts'
import { limits } from '../../src/domain/limits.ts'
import { noticeOf } from '../../src/domain/notification/notice.ts'
import { newRun, type Run } from '../../src/domain/run/run.ts'

const task = { text: 'Say new\nand more', constraints: [], non_goals: [], files: [] }
const request = { kind: 'task', task, dryRun: false, apply: false } as const
const data = newRun({ request, target: null, configFile: null, models: null, budgetUsd: null })

function run(state: Run['state']): Run {
  return { id: 'say-new-0a1b2c', kind: 'run', run: 'say-new-0a1b2c', story: null, state, version: 7, data }
}

const about = { run: 'say-new-0a1b2c', story: null, title: 'Say new', message: null }
const event = { run: 'say-new-0a1b2c', story: null }
const result = (more: object) => ({ ...event, type: 'result', data: { stories: [], ...more } }) as unknown as NewEvent
const asked = (question: string): NewEvent => ({
  ...event,
  story: 'one',
  type: 'escalation',
  data: { id: '7', question, evidence: '' },
})

describe('an event of a Run', () => {
  test('that asks a human is told with the id that a reply names', () => {
    expect(noticeOf(run('MONITORING'), asked('Which one?'))).toEqual({
      id: 'say-new-0a1b2c/7',
      type: 'escalation',
      ...about,
      story: 'one',
      question: 'Which one?',
      message: '7',
    })
  })

  test('with which it comes to rest is told with what became of it', () => {
    expect(
      noticeOf(
        run('STUCK'),
        result({ status: 'STUCK', kind: 'task', stories: [{ id: 'task', state: 'STUCK', kept: true }] }),
      ),
    ).toEqual({
      id: 'say-new-0a1b2c/ended-7',
      type: 'ended',
      ...about,
      question: 'It has ended: STUCK. The editor got stuck. Its changes are kept.',
    })
    const error = { message: 'The key is wrong.', todo: 'Get one.' }
    expect(noticeOf(run('ERROR'), result({ status: 'ERROR', error }))).toEqual({
      id: 'say-new-0a1b2c/paused-7',
      type: 'paused',
      ...about,
      question: 'ERROR: The key is wrong.\nGet one.',
    })
    const paused = [{ cap: 'run_usd' }, { cap: 'story_usd' }, { cap: 'run_usd' }]
    expect(noticeOf(run('PAUSED'), result({ status: 'PAUSED', paused }))?.question).toBe(
      'PAUSED: budget.run_usd, budget.story_usd is reached. Allow more: drydock budget say-new-0a1b2c --raise 5',
    )
  })

  test('is nothing to tell of when it is any other, or when a human has paused it', () => {
    expect(noticeOf(run('MONITORING'), { ...event, type: 'resumed', data: { lane: 'a' } })).toBeNull()
    expect(noticeOf(run('PAUSED'), result({ status: 'PAUSED', paused: [] }))).toBeNull()
  })

  test('is short, plain text: nothing that acts on a terminal or ends an environment variable', () => {
    const question = noticeOf(
      run('MONITORING'),
      asked(`\u001b[31mred\u0000\u009b\u202e\u2066\n\tok 👩‍👧${'x'.repeat(9_999)}`),
    )?.question
    expect(question).toMatch(/^\[31mred\n\tok 👩‍👧x/)
    expect(question?.length).toBeLessThan(limits.notify.questionChars + limits.cutNotice)
  })
})
