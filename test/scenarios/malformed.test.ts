import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Message } from '../../src/domain/lane/message.ts'
import { limits } from '../../src/domain/limits.ts'
import { createFixture, type Fixture } from '../world/fixture.ts'
import { type Conversation, conversationOf } from './world/conversation.ts'
import { call, change, plan, resultOf, write } from './world/fixture.ts'

type Turn = { readonly calls: readonly object[] }
const together = (...turns: readonly object[]) => ({ calls: turns.flatMap((turn) => (turn as Turn).calls) })
const megabytes = (count: number) => 'x'.repeat(count * 1_000_000)

let fixture: Fixture
let conversation: Conversation
let planning: readonly Message[]
let coding: readonly Message[]

/** One story in which a model makes every possible mistake, and which still ends well. */
beforeAll(async () => {
  fixture = await createFixture()
  const model = await fixture.replay({
    'editor/task/PLANNING': [
      call('open_pod_bay_doors', { hal: true }),
      together(
        call('read_file', {}),
        call('read_file', { path: 7 }),
        call('read_file', { path: 'value.txt', also: 1 }),
      ),
      together(plan(), call('read_file', { path: 'absent.txt' })),
      { text: 'I would rather talk.' },
      {},
      { text: megabytes(10) },
      { ...together(call('read_file', { path: 'value.txt' })), text: megabytes(10) },
      call('submit_plan', { behaviour_change: 'b', acceptance_criteria: [], files: 'value.txt' }),
      plan(),
    ],
    'editor/task/CODING': [
      write(megabytes(3)),
      call(`read_${megabytes(1)}`, {}),
      write('new\n'),
      change('x'.repeat(9_000)),
      together(change(), change('Another')),
      call('run_command', { command: 'git init -q nested && echo x > nested/file' }),
      change(),
      call('run_command', { command: 'rm -rf nested' }),
      change(),
    ],
  })
  const done = await fixture.drydock('task', 'say new', '--json', '--model', model)
  expect(done.exitCode, done.stderr).toBe(0)
  expect(resultOf(done)).toMatchObject({ status: 'DONE', branch: 'drydock/say-new' })
  conversation = conversationOf(fixture, done)
  planning = await conversation.messages('editor/task/PLANNING')
  coding = await conversation.messages('editor/task/CODING')
})
afterAll(() => fixture.remove())

const results = (messages: readonly Message[], turn: number) => {
  const turns = messages.flatMap((message, i) => (message.role === 'assistant' ? [messages[i + 1]] : []))
  const answer = turns[turn]
  return answer?.role === 'tool' ? answer.results.map(({ ok, output }) => ({ ok, output })) : []
}

describe('a model', () => {
  test('that calls a tool which there is not is told which there are', () => {
    expect(results(planning, 0)).toEqual([
      {
        ok: false,
        output:
          'There is no tool `open_pod_bay_doors`. Your tools are: read_file, list_files, search_files, get_diff, run_command, check_command, ask_scout, post_message, read_messages, submit_plan.',
      },
    ])
  })

  test('that gives invalid input is told of each field', () => {
    expect(results(planning, 1)).toEqual([
      { ok: false, output: expect.stringMatching(/^The input of `read_file` is not valid:\npath: /) },
      { ok: false, output: expect.stringContaining('path: ') },
      // A key that the tool does not know is dropped.
      { ok: true, output: '1\told' },
    ])
  })

  test('that hands in a plan together with a call that fails, or twice, has handed in nothing', () => {
    expect(results(planning, 2)).toEqual([
      { ok: false, output: 'There is no such file' },
      { ok: false, output: expect.stringContaining('`read_file` failed before it') },
    ])
    expect(results(coding, 4)).toHaveLength(2)
  })

  test('that only talks, or says nothing, is reminded of its tools', () => {
    const reminders = planning.filter((message) => message.role === 'user' && message.text.startsWith('<reminder>'))
    expect(reminders).toHaveLength(3)
    expect(reminders[0]).toMatchObject({ text: expect.stringContaining('`submit_plan`') })
    const blank = planning.some(
      (message) => message.role === 'assistant' && !message.text && message.calls.length === 0,
    )
    expect(blank).toBe(false)
  })

  test('that says ten megabytes is cut short, and what it called is still done', () => {
    const texts = planning.flatMap((message) => (message.role === 'assistant' ? [message.text] : []))
    for (const text of texts) expect(text.length).toBeLessThan(limits.modelTextChars + 100)
    expect(texts.filter((text) => text.includes('characters left out'))).toHaveLength(2)
    expect(planning.filter((message) => message.role === 'tool').flatMap(({ results: all }) => all)).toHaveLength(8)
  })

  test('that hands in an incomplete plan is told what is missing, and goes on in its lane', () => {
    const [answer] = results(planning, 6)
    for (const field of ['acceptance_criteria: ', 'non_goals: ', 'slices: ', 'tests: '])
      expect(answer).toMatchObject({ ok: false, output: expect.stringContaining(field) })
    // A single text counts as a list with one item.
    expect(answer?.output).not.toContain('\nfiles: ')
    expect(answer?.output).toContain('It takes, as JSON Schema: {')
  })

  test('that gives arguments, or a name, of megabytes is refused, and not kept', async () => {
    expect(results(coding, 0)).toEqual([
      { ok: false, output: expect.stringMatching(/^The call could not be read: the arguments are too large \(3\d+/) },
    ])
    expect(results(coding, 1)).toEqual([{ ok: false, output: expect.stringContaining('There is no tool `read_xxx') }])
    expect((await conversation.execution('editor/task/CODING', 0)).arguments).toEqual({})
  })

  test('that sums its change up in nine thousand characters is asked for less', () => {
    expect(results(coding, 3)).toEqual([{ ok: false, output: expect.stringContaining('summary: ') }])
  })

  test('that submits something unacceptable is told why, and continues', () => {
    expect(results(coding, 6)).toEqual([
      { ok: false, output: expect.stringMatching(/^The change is refused: .*nested/) },
    ])
  })

  test('leaves a row for every refused call', async () => {
    expect(await conversation.execution('editor/task/PLANNING', 0)).toMatchObject({
      tool: 'open_pod_bay_doors',
      success: false,
    })
    expect(await conversation.execution('editor/task/PLANNING', 2, 1)).toMatchObject({
      tool: 'submit_plan',
      success: false,
      result: expect.stringContaining('was not carried out'),
    })
  })
})
