import { describe, expect, test } from 'vitest'
import { call, change, plan, resultOf, write } from '../world/fixture.ts'
import { plays, says, times } from './world.ts'

const asks = {
  'editor/task/PLANNING': [call('ask_scout', { scout: 'codebase', question: 'where is the value?' }), plan()],
  'editor/task/CODING': [write('new\n'), change()],
}
const report = (fields: object) => call('submit_report', fields)
const read = (path: string) => call('read_file', { path })
const files = Object.fromEntries(times(30, () => ({})).map((_, i) => [`src/${i}.txt`, `${i}\n`]))

describe.concurrent('a scout', () => {
  test('that answers in words is told once to report; words again are its report, marked as such', async ({
    onTestFinished,
  }) => {
    const words = says('It is in value.txt.')
    const ended = await plays(onTestFinished, {
      lanes: { ...asks, 'scout/codebase/task/1.1': [read('value.txt'), words, words, words] },
    })
    expect(ended).toMatchObject({ status: 'DONE', requests: 7 })
    const [answer] = await ended.conversation.results('editor/task/PLANNING')
    expect(answer).toMatchObject({ ok: true, output: expect.stringContaining('It is in value.txt.') })
    expect(answer?.output).toContain('Not handed in as a report')
  })

  test('alone may answer in words, too', async ({ onTestFinished }) => {
    const lanes = { 'scout/build/task/1.1': times(5, () => says('With grep.')) }
    const ended = await plays(onTestFinished, { args: ['scout', 'build', 'how is it tested?'], lanes })
    expect(ended).toMatchObject({ status: 'DONE', requests: 2 })
    expect(resultOf(ended.done).answer).toMatchObject({ answer: expect.stringContaining('With grep.') })
  })

  test('is told which keys of its report nobody knows', async ({ onTestFinished }) => {
    const lanes = { ...asks, 'scout/codebase/task/1.1': [report({ report: 'x' }), report({ answer: 'In value.txt.' })] }
    const ended = await plays(onTestFinished, { lanes })
    const [first] = await ended.conversation.results('scout/codebase/task/1.1')
    expect(first).toMatchObject({ ok: false, output: expect.stringContaining('report: there is no such field') })
    expect(first?.output).toContain('answer')
  })

  test('has 20 requests for a question in all its tries; then its editor continues, and the summary names it', async ({
    onTestFinished,
  }) => {
    const reads = (from: number) => times(15, (i) => read(`src/${from + i}.txt`))
    const ended = await plays(onTestFinished, {
      files,
      lanes: {
        ...asks,
        'scout/codebase/task/1.1': reads(0),
        'scout/codebase/task/1.2': reads(15),
        'scout/codebase/task/1.3': reads(0),
      },
    })
    expect(ended).toMatchObject({ status: 'DONE', requests: 24 })
    expect(ended.report).toContain('The codebase scout gave no report')
    expect(ended.report).toContain('where is the value?')
  })

  test('that makes the same few calls again and again is stopped as an editor is', async ({ onTestFinished }) => {
    const same = times(20, (i) => (i % 2 === 0 ? read('value.txt') : read('src/1.txt')))
    const ended = await plays(onTestFinished, {
      files,
      lanes: { ...asks, 'scout/codebase/task/1.1': same, 'scout/codebase/task/1.2': [report({ answer: 'Here.' })] },
    })
    expect(ended.status).toBe('DONE')
    expect(ended.requests).toBeLessThanOrEqual(24)
  })

  test('whose model cannot be reached is an infrastructure failure', async ({ onTestFinished }) => {
    const ended = await plays(onTestFinished, {
      user: { providers: { away: { kind: 'openai-compatible', baseURL: 'http://127.0.0.1:1/v1' } } },
      args: ['task', 'Say new', '--scout-model', 'away:any'],
      lanes: asks,
    })
    expect(ended.done.exitCode).toBe(4)
    expect(resultOf(ended.done)).toMatchObject({ status: 'INFRA_ERROR', stories: [{ error_type: 'scout_failed' }] })
  })
})
