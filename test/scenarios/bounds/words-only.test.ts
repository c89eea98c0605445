import { describe, expect, test } from 'vitest'
import { alwaysGreen, approve, greenStory, specLanes, writeFile } from '../world/crew.ts'
import { call, change, plan, resultOf, write } from '../world/fixture.ts'
import { coding, plays, says, times, verifications } from './world.ts'

const look = call('read_file', { path: 'value.txt' })

describe.concurrent('a model that calls no tool', () => {
  test('is told at once what to call, and its lane ends after five replies, with its last words', async ({
    onTestFinished,
  }) => {
    const ended = await plays(onTestFinished, {
      lanes: { 'editor/task/PLANNING': times(20, (i) => says(`I have understood, ${i}.`)) },
    })
    expect(ended).toMatchObject({ status: 'STUCK', requests: 5 })
    expect(ended.report).toContain('its last 5 replies called no tool')
    expect(ended.report).toContain('it never called a tool')
    expect(ended.report).toContain('"I have understood, 4."')
    const told = (await ended.conversation.messages('editor/task/PLANNING')).slice(1)
    expect(told[1]).toMatchObject({ role: 'user', text: expect.stringContaining('`submit_plan`') })
  })

  test('though it has called some before has eight replies, and what it never called is said', async ({
    onTestFinished,
  }) => {
    const lanes = { 'editor/task/PLANNING': [look, ...times(20, () => says('Done!'))] }
    const ended = await plays(onTestFinished, { lanes })
    expect(ended).toMatchObject({ status: 'STUCK', requests: 9 })
    expect(ended.report).toContain('its last 8 replies called no tool')
    expect(ended.report).toContain('it never called submit_plan')
  })

  test('now and then is not stopped', async ({ onTestFinished }) => {
    const talk = times(7, () => says('Hm.'))
    const files = { 'a.txt': 'a\n', 'b.txt': 'b\n' }
    const ended = await plays(onTestFinished, {
      files,
      lanes: coding(look, ...talk, call('read_file', { path: 'a.txt' }), ...talk, write('new\n'), ...talk, change()),
    })
    expect(ended.status).toBe('DONE')
  })

  test('of the architect leads to a human, who reads what it said', async ({ onTestFinished }) => {
    const lanes = { 'architect/SCOPING': times(20, () => says('The repository is small.')) }
    const ended = await plays(onTestFinished, { args: ['run', 'Make the files'], steps: [alwaysGreen], lanes })
    expect(ended).toMatchObject({ done: { exitCode: 6 }, requests: 5 })
    const asked = ended.done.events.filter(({ type }) => type === 'escalation')
    expect(asked).toEqual([expect.objectContaining({ question: expect.stringContaining('called no tool') })])
    expect(JSON.stringify(asked)).toContain('The repository is small.')
  })
})

describe.concurrent('the change of an editor that only talks', () => {
  test('is verified as it is; summary and receipt say that the editor did not hand it in', async ({
    onTestFinished,
  }) => {
    const ended = await plays(onTestFinished, { lanes: coding(write('new\n'), ...times(8, () => says('Done!'))) })
    expect(ended).toMatchObject({ status: 'DONE', requests: 10 })
    expect(verifications(ended)).toEqual(['PASS'])
    expect(ended.report).toContain('The editor did not hand this change in')
    const { stdout } = await ended.fixture.drydock('receipt', 'show', `${resultOf(ended.done).branch}`)
    expect(stdout).toContain('Handed in: by Drydock')
  })

  test('goes back to it when it is red', async ({ onTestFinished }) => {
    const talk = times(8, () => says('Done!'))
    const ended = await plays(onTestFinished, { lanes: coding(write('half\n'), ...talk, write('new\n'), change()) })
    expect(ended.status).toBe('DONE')
    expect(verifications(ended)).toEqual(['FAIL', 'PASS'])
    expect(ended.report).not.toContain('did not hand this change in')
  })

  test('is not verified again when its verdict is known', async ({ onTestFinished }) => {
    const talk = times(20, () => says('Done!'))
    const ended = await plays(onTestFinished, { lanes: coding(write('half\n'), change('Half'), ...talk) })
    expect(ended).toMatchObject({ status: 'STUCK', requests: 11 })
    expect(verifications(ended)).toEqual(['FAIL'])
  })

  test('that is none ends the lane', async ({ onTestFinished }) => {
    const ended = await plays(onTestFinished, { lanes: coding(look, ...times(20, () => says('Done!'))) })
    expect(ended.status).toBe('STUCK')
    expect(verifications(ended)).toEqual([])
  })

  test.each([
    ['by the slices of its plan', plan({ slices: ['one', 'two'] }), [write('new\n')]],
    [
      'by its own list',
      plan(),
      [
        write('new\n'),
        call('update_todos', {
          todos: [
            { text: 'the value', status: 'completed' },
            { text: 'its test', status: 'pending' },
          ],
        }),
      ],
    ],
  ])('is not taken while something is left to do %s', async (_, planned, turns) => {
    const cleanUps: (() => Promise<void>)[] = []
    const lanes = {
      'editor/task/PLANNING': [planned],
      'editor/task/CODING': [...turns, ...times(20, () => says('Done!'))],
    }
    const ended = await plays((cleanUp) => cleanUps.push(cleanUp), { lanes })
    for (const cleanUp of cleanUps) await cleanUp()
    expect(ended.status).toBe('STUCK')
    expect(verifications(ended)).toEqual([])
  })

  test('is reviewed in a crew like any other', async ({ onTestFinished }) => {
    const ended = await plays(onTestFinished, {
      args: ['run', 'Make the files'],
      steps: [alwaysGreen],
      lanes: {
        ...specLanes('one'),
        ...greenStory('one'),
        'editor/one/CODING': [writeFile('one.txt', 'one\n'), ...times(8, () => says('All done.'))],
        'architect/REQUEST/code/one/1': [approve()],
      },
    })
    expect(ended.status).toBe('DONE')
    expect(ended.done.events.some(({ type, kind }) => type === 'review' && kind === 'budget')).toBe(false)
  })
})
