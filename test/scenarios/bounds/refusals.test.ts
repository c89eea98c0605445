import { describe, expect, test } from 'vitest'
import { alwaysGreen, greenStory, reply, specLanes } from '../world/crew.ts'
import { call, change, plan, write } from '../world/fixture.ts'
import { coding, plays, times, together, verifications } from './world.ts'

const read = (path = 'value.txt') => call('read_file', { path })

describe.concurrent('a terminal call', () => {
  test('without the hypothesis that its schema requires is refused twice after failures, and then taken', async ({
    onTestFinished,
  }) => {
    const ended = await plays(onTestFinished, {
      lanes: coding(
        write('a\n'),
        change('A'),
        write('b\n'),
        change('B'),
        write('new\n'),
        change('New'),
        change('New'),
        change('New'),
      ),
    })
    expect(ended.status).toBe('DONE')
    expect(verifications(ended)).toEqual(['FAIL', 'FAIL', 'PASS'])
    expect(ended.requests).toBe(9)
  })

  test('that nobody can read is refused twice for the same reason; then the report quotes the refusal', async ({
    onTestFinished,
  }) => {
    const lanes = { 'editor/task/PLANNING': times(9, () => call('submit_plan', { plan: 'write new' })) }
    const ended = await plays(onTestFinished, { lanes })
    expect(ended).toMatchObject({ status: 'STUCK', requests: 3 })
    expect(ended.report).toContain('refused three times for the same reason')
    expect(ended.report).toContain('behaviour_change: ')
    const [first] = await ended.conversation.results('editor/task/PLANNING')
    expect(first?.output).toContain('plan: there is no such field')
  })

  test('with another call between counts on, and other reasons count by themselves', async ({ onTestFinished }) => {
    const none = call('submit_plan', {})
    const some = call('submit_plan', { behaviour_change: 'it says new' })
    const lanes = {
      ...coding(write('new\n'), change()),
      'editor/task/PLANNING': [none, read(), some, none, some, plan()],
    }
    expect(await plays(onTestFinished, { lanes })).toMatchObject({ status: 'DONE', requests: 8 })
    const again = { 'editor/task/PLANNING': [none, read(), none, read(), none, plan()] }
    expect(await plays(onTestFinished, { lanes: again })).toMatchObject({ status: 'STUCK', requests: 5 })
  })

  test('that its workflow refuses ends the lane the third time: no_change while files differ', async ({
    onTestFinished,
  }) => {
    const none = call('no_change', { reason: 'It is right.', evidence: 'value.txt:1' })
    const ended = await plays(onTestFinished, { lanes: coding(write('half\n'), ...times(9, () => none)) })
    expect(ended).toMatchObject({ status: 'STUCK', requests: 5 })
    expect(ended.report).toContain('Files differ from the base commit: value.txt')
  })

  test('in a review without a verdict is not an approval: a human is asked, and reads why', async ({
    onTestFinished,
  }) => {
    const silent = times(9, () => reply('Looks good to me.'))
    const ended = await plays(onTestFinished, {
      args: ['run', 'Make the files'],
      steps: [alwaysGreen],
      lanes: {
        ...specLanes('one'),
        ...greenStory('one'),
        'architect/REQUEST/code/one/1': silent,
        'architect/REQUEST/code/one/1.2': silent,
      },
    })
    expect(ended.done.exitCode).toBe(6)
    const [asked] = ended.done.events.filter(({ type }) => type === 'escalation')
    expect(JSON.stringify(asked)).toContain('A code request needs a verdict')
    // 12 requests: two for the spec, one for the plan and one for its review, two for the change,
    // and three in each lane of the refused review.
    expect(ended.requests).toBe(12)
  })
})

describe.concurrent('a terminal call that comes with others', () => {
  test('is carried out after them, wherever it stands', async ({ onTestFinished }) => {
    const lanes = {
      'editor/task/PLANNING': [together(plan(), read())],
      'editor/task/CODING': [together(change(), write('new\n'), read())],
    }
    const ended = await plays(onTestFinished, { lanes })
    expect(ended).toMatchObject({ status: 'DONE', requests: 2 })
    const tools = ended.done.events.filter(({ type }) => type === 'tool').map(({ tool }) => tool)
    expect(tools.slice(-3)).toEqual(['write_file', 'read_file', 'submit_change'])
  })

  test('is refused when one of them failed, and taken when it says so a third time', async ({ onTestFinished }) => {
    const miss = call('edit_file', { path: 'value.txt', old: 'absent', new: 'x' })
    const fails = together(miss, change())
    const ended = await plays(onTestFinished, { lanes: coding(fails, write('new\n'), fails, fails) })
    expect(ended).toMatchObject({ status: 'DONE', requests: 5 })
    const [, refused] = await ended.conversation.results('editor/task/CODING')
    expect(refused).toMatchObject({ ok: false, output: expect.stringContaining('`edit_file` failed before it') })
  })

  test('of its own kind counts once', async ({ onTestFinished }) => {
    const ended = await plays(onTestFinished, { lanes: coding(write('new\n'), together(change(), change())) })
    expect(ended).toMatchObject({ status: 'DONE', requests: 3 })
    expect(verifications(ended)).toEqual(['PASS'])
  })
})
