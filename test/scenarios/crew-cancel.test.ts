import { afterEach, describe, expect, test } from 'vitest'
import { approve, type Lanes, reply, storyPlan } from './crew.ts'
import { call, type Fixture, resultOf } from './fixture.ts'
import { interruptWhen, machineIn } from './interrupt.ts'
import { green, read, resume, run, statesOf, storeCrew, without } from './stored-crew.ts'

let fixture: Fixture
afterEach(() => fixture.remove())

const look = (pattern: string) => call('list_files', { pattern })

describe('cancel', () => {
  const config = { architect: { request_soft_limit: 2, request_hard_limit: 3 }, editor: { planning_iterations: 3 } }
  const asks = call('ask_architect', { question: 'Which?' })
  const rich: Lanes = {
    ...green,
    'editor/one/PLANNING': [asks, look('a'), look('b'), look('c'), storyPlan('one')],
    'architect/REQUEST/question/one/1': [reply('That.')],
    'architect/REQUEST/budget/one/1': [approve()],
    'architect/REQUEST/code/one/1': [look('a'), look('b'), approve()],
  }
  const runStates = ['WAITING', 'SCOPING', 'STORY_GENERATION']
  const ofOne = (state: string) => `${machineIn('story', state)} and story = 'one'`
  const storyStates = [
    ...['SETUP', 'QUESTION', 'BUDGET_REVIEW', 'PLANNING', 'PLAN_REVIEW', 'CODING', 'VERIFYING', 'CODE_REVIEW'],
  ]
  const points = [
    ...runStates.map((state) => ({ where: state, when: machineIn('run', state) })),
    ...storyStates.map((state) => ({ where: state, when: ofOne(state) })),
    { where: 'a question to a human', when: machineIn('request', 'ESCALATED') },
    { where: 'MERGING', when: machineIn('merge', 'MERGING') },
  ]

  test.each(points)('in $where ends everything, and leaves nothing open', async ({ when }) => {
    fixture = await storeCrew(rich, { config })
    await interruptWhen(fixture, run, when)
    const cancelled = await fixture.drydock('cancel', run, '--json')
    expect(cancelled.exitCode, cancelled.stderr).toBe(5)
    expect(resultOf(cancelled)).toMatchObject({ status: 'CANCELLED', run })
    await expectClosed()
    const again = await resume(fixture)
    expect(again.exitCode).toBe(5)
  })

  test('of stories that wait for an approval ends the Run', async () => {
    fixture = await storeCrew(green, { reviewStories: true })
    expect((await resume(fixture)).exitCode).toBe(6)
    expect(await statesOf(fixture, 'run')).toEqual(['AWAIT_APPROVAL'])
    expect((await fixture.drydock('cancel', run, '--json')).exitCode).toBe(5)
    await expectClosed()
  })

  test('of a Run in ERROR ends it', async () => {
    fixture = await storeCrew(without(green, 'editor/one/CODING', 1))
    expect((await resume(fixture)).exitCode).toBe(1)
    expect((await fixture.drydock('cancel', run, '--json')).exitCode).toBe(5)
    await expectClosed()
  })

  /** No machine is left in a state that anyone could go on from. */
  async function expectClosed(): Promise<void> {
    expect(await read(fixture, (records) => records.jobs())).toEqual([])
    expect(await read(fixture, (records) => records.pendingCommands())).toEqual([])
    const kinds = ['run', 'story', 'lane', 'request', 'verification', 'merge', 'scout_query'] as const
    const states = new Set((await Promise.all(kinds.map((kind) => statesOf(fixture, kind)))).flat())
    const over = ['CANCELLED', 'DONE', 'ENDED', 'ANSWERED', 'MERGED', 'RETURNED']
    expect([...states].filter((state) => !over.includes(state))).toEqual([])
  }
})
