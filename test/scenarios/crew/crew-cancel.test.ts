import { afterEach, describe, expect, test } from 'vitest'
import type { Fixture } from '../../world/fixture.ts'
import { storeCrew } from '../../world/stored-crew.ts'
import { approve, type Lanes, reply, storyPlan } from '../world/crew.ts'
import { call, resultOf } from '../world/fixture.ts'
import { interruptWhen, machineIn } from '../world/interrupt.ts'
import { green, read, resume, run, statesOf, without } from '../world/stored-crew.ts'

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
  const ofOne = (state: string) => machineIn('story', state, 'one')
  const storyStates = [
    'SETUP',
    'QUESTION',
    'BUDGET_REVIEW',
    'PLANNING',
    'PLAN_REVIEW',
    'CODING',
    'VERIFYING',
    'CODE_REVIEW',
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
    expect((await fixture.drydock('cancel', run, '--reason', 'The spec has changed.', '--json')).exitCode).toBe(5)
    await expectClosed()
    expect((await fixture.drydock('chat', run, '--json')).events.at(-1)).toMatchObject({
      agent_id: 'human',
      content: 'Cancelled: The spec has changed.',
    })
  })

  test('of a Run in ERROR ends it', async () => {
    fixture = await storeCrew(without(green, 'editor/one/CODING', 1))
    expect((await resume(fixture)).exitCode).toBe(1)
    expect((await fixture.drydock('cancel', run, '--json')).exitCode).toBe(5)
    await expectClosed()
  })

  test('can be undone: cancelled stories continue from their kept work, and merged ones stay', async () => {
    const again = Object.fromEntries(
      Object.entries(green)
        .filter(([lane]) => lane.includes('two'))
        .map(([lane, turns]) => [lane.replace('two', 'two@2'), turns]),
    )
    fixture = await storeCrew({ ...green, ...again })
    await interruptWhen(fixture, run, machineIn('story', 'CODE_REVIEW', 'two'), 1)
    const merged = await fixture.git('rev-list', 'main..drydock/make-the-files')
    expect(resultOf(await fixture.drydock('cancel', run, '--json'))).toMatchObject({ status: 'CANCELLED' })
    const unnamed = await fixture.drydock('retry')
    expect(unnamed).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(`Retry it: drydock retry ${run}\n`),
    })
    const done = await fixture.drydock('retry', run, '--json', '--no-wait')
    expect(done.exitCode, done.stderr).toBe(0)
    expect(resultOf(done)).toMatchObject({ status: 'DONE', stories: [{ state: 'DONE' }, { state: 'DONE' }] })
    const all = (await fixture.git('rev-list', 'main..drydock/make-the-files')).split('\n')
    expect(all).toHaveLength(2)
    expect(all.at(-1)).toBe(merged)
  })

  test('before there were stories cannot be undone, and the message says what to do', async () => {
    fixture = await storeCrew(green)
    await interruptWhen(fixture, run, machineIn('run', 'SCOPING'))
    await fixture.drydock('cancel', run)
    expect(await fixture.drydock('retry', run)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('was cancelled before it had stories'),
    })
  })

  /** No machine is left in a state from which work could continue. */
  async function expectClosed(): Promise<void> {
    expect(await read(fixture, (records) => records.isIdle(run))).toBe(true)
    expect(await read(fixture, (records) => records.pendingCommands())).toEqual([])
    const kinds = ['run', 'story', 'lane', 'request', 'verification', 'merge', 'scout_query'] as const
    const states = new Set((await Promise.all(kinds.map((kind) => statesOf(fixture, kind)))).flat())
    const over = ['CANCELLED', 'DONE', 'ENDED', 'ANSWERED', 'MERGED', 'RETURNED']
    expect([...states].filter((state) => !over.includes(state))).toEqual([])
  }
})
