import { describe, expect, test } from 'vitest'
import { alwaysGreen, greenStory, reply, specLanes, submit, writeFile } from '../world/crew.ts'
import { call, change, write } from '../world/fixture.ts'
import { coding, plays, times } from './world.ts'

const asksScout = call('ask_scout', { scout: 'codebase', question: 'where is the value?' })
const asksArchitect = call('ask_architect', { question: 'tabs or blanks?' })
const report = (i: number) => [call('submit_report', { answer: `In value.txt, for the ${i}th time.` })]
const upTo = (count: number) => Array.from({ length: count }, (_, i) => i + 1)

describe.concurrent('the same question', () => {
  test('to a scout is not asked a fifth time in a row, however its answers differ', async ({ onTestFinished }) => {
    const scouts = Object.fromEntries(upTo(9).map((n) => [`scout/codebase/task/${n}.1`, report(n)]))
    const ended = await plays(onTestFinished, {
      lanes: { ...coding(write('new\n'), ...times(9, () => asksScout), change()), ...scouts },
    })
    expect(ended.status).toBe('STUCK')
    expect(ended.report).toContain('asked the same question five times in a row')
    expect(ended.report).toContain('last answer to ask_scout: ')
    expect(ended.report).toContain('for the 4th time')
    // The requests are a plan, an edit, five questions and four reports.
    expect(ended.requests).toBe(11)
    const results = await ended.conversation.results('editor/task/CODING')
    expect(results.map(({ output }) => output.includes('3 times in a row'))).toEqual([
      false,
      false,
      false,
      true,
      false,
      false,
    ])
    expect(results.at(-1)?.output).toContain('was not carried out: you made this same call 4 times before')
  })

  test('to the architect is told in the budget review and to the human', async ({ onTestFinished }) => {
    const questions = Object.fromEntries(
      upTo(9).map((n) => [`architect/REQUEST/question/one/${n}`, [reply(`Blanks, said ${n} times.`)]]),
    )
    const ended = await plays(onTestFinished, {
      args: ['run', 'Make the files'],
      steps: [alwaysGreen],
      lanes: {
        ...specLanes('one'),
        ...greenStory('one'),
        ...questions,
        'editor/one/CODING': times(9, () => asksArchitect),
        'architect/REQUEST/budget/one/1': [reply('No.', { verdict: 'REJECTED' })],
      },
    })
    expect(ended.done.exitCode).toBe(6)
    const [asked] = ended.done.events.filter(({ type }) => type === 'escalation')
    expect(JSON.stringify(asked)).toContain('asked the same question five times in a row')
    const kinds = ended.done.events.filter(({ type, state }) => type === 'request' && state === 'OPEN')
    expect(kinds.map(({ kind }) => kind)).toEqual(['plan', ...upTo(4).map(() => 'question'), 'budget'])
  })

  test('with something else between is another one, and so are different ones', async ({ onTestFinished }) => {
    const other = (i: number) => call('ask_architect', { question: `tabs or ${i} blanks?` })
    const turns = times(6, (i) => (i % 2 === 0 ? asksArchitect : other(i)))
    const questions = Object.fromEntries(
      upTo(7).map((n) => [`architect/REQUEST/question/one/${n}`, [reply('Blanks.')]]),
    )
    const ended = await plays(onTestFinished, {
      args: ['run', 'Make the files'],
      steps: [alwaysGreen],
      lanes: {
        ...specLanes('one'),
        ...greenStory('one'),
        ...questions,
        'editor/one/CODING': [...turns, writeFile('one.txt', 'one\n'), submit('one')],
      },
    })
    expect(ended.done.exitCode, ended.done.stdout).toBe(0)
  })
})
