import { describe, expect, test } from 'vitest'
import { freshFixture } from '../world/fixture.ts'
import { conversationOf } from './world/conversation.ts'
import { call, change, greenLanes, plan, resultOf, type Turns, write } from './world/fixture.ts'
import { buildReport, codebaseReport } from './world/reports.ts'

const ask = (scout: 'codebase' | 'build', question: string) => call('ask_scout', { scout, question })
const report = (fields: object) => call('submit_report', fields)
const look = (n: number) => call('list_files', { pattern: `*.${n}` })

describe.concurrent('scouts', () => {
  test('answer their editor, and their reports are kept in context files', async ({ onTestFinished }) => {
    const fixture = await freshFixture(onTestFinished)
    const model = await fixture.replay({
      ...greenLanes,
      'editor/task/PLANNING': [
        ask('codebase', 'where is the value?'),
        ask('build', 'how is it tested?'),
        ask('codebase', 'and what depends on it?'),
        plan(),
      ],
      'scout/codebase/task/1.1': [call('read_file', { path: 'value.txt' }), report(codebaseReport)],
      'scout/build/task/1.1': [report(buildReport)],
      'scout/codebase/task/2.1': [report({ ...codebaseReport, hypotheses: ['nothing does'] })],
    })
    const done = await fixture.drydock('task', 'say new', '--json', '--model', model)
    expect(done.exitCode, done.stderr).toBe(0)
    const conversation = conversationOf(fixture, done)
    expect(await conversation.lanes()).toEqual([
      'editor/task/PLANNING',
      'scout/codebase/task/1.1',
      'scout/build/task/1.1',
      'scout/codebase/task/2.1',
      'editor/task/CODING',
    ])
    const answers = await conversation.results('editor/task/PLANNING')
    expect(answers.map(({ tool, ok, output }) => ({ tool, ok, report: JSON.parse(output) }))).toEqual([
      { tool: 'ask_scout', ok: true, report: { schema_version: '1', ...codebaseReport } },
      { tool: 'ask_scout', ok: true, report: { schema_version: '1', ...buildReport } },
      { tool: 'ask_scout', ok: true, report: { schema_version: '1', ...codebaseReport, hypotheses: ['nothing does'] } },
    ])
    const files = await conversation.contextFiles()
    expect(files.map(({ n, milestone }) => ({ n, milestone }))).toEqual([
      { n: 1, milestone: 'scout report' },
      { n: 2, milestone: 'scout report' },
      { n: 3, milestone: 'scout report' },
      { n: 4, milestone: 'plan' },
      { n: 5, milestone: 'success' },
    ])
    for (const words of [
      'Question: how is it tested?',
      '"schema_version": "1"',
      'grep -q new value.txt',
      'Timestamp: 20',
    ])
      expect(files[1]?.content).toContain(words)
    const question = await conversation.prompt('scout/codebase/task/2.1')
    expect(question).toContain('<task>\nsay new\n</task>')
    expect(question).toContain('<question>\nand what depends on it?\n</question>')
  })

  test('can only read', async ({ onTestFinished }) => {
    const fixture = await freshFixture(onTestFinished)
    const forbidden = [write('x\n'), call('run_command', { command: 'id' }), ask('build', 'x'), change()]
    const model = await fixture.replay({
      'scout/codebase/task/1.1': [
        { calls: forbidden.flatMap((turn) => (turn as { calls: object[] }).calls) },
        report(codebaseReport),
      ],
    })
    const done = await fixture.drydock('scout', 'codebase', 'what is here?', '--json', '--model', model)
    expect(done.exitCode, done.stderr).toBe(0)
    const results = await conversationOf(fixture, done).results('scout/codebase/task/1.1')
    expect(results.map(({ ok, output }) => ({ ok, names: output.split('.')[0] }))).toEqual([
      { ok: false, names: 'There is no tool `write_file`' },
      { ok: false, names: 'There is no tool `run_command`' },
      { ok: false, names: 'There is no tool `ask_scout`' },
      { ok: false, names: 'There is no tool `submit_change`' },
    ])
  })

  test('are told which fields of a report are wrong, and may correct it', async ({ onTestFinished }) => {
    const fixture = await freshFixture(onTestFinished)
    const wrong = {
      ...codebaseReport,
      hypotheses: [7],
      repo_map: { ...codebaseReport.repo_map, relevant_files: [{ path: 'a', purpose: 'b', relevance: 'high' }] },
    }
    const model = await fixture.replay({
      'scout/codebase/task/1.1': [report(wrong), report(buildReport), report(codebaseReport)],
    })
    const done = await fixture.drydock('scout', 'codebase', 'what is here?', '--json', '--model', model)
    expect(done.exitCode, done.stderr).toBe(0)
    const [first, second] = await conversationOf(fixture, done).results('scout/codebase/task/1.1')
    for (const field of ['hypotheses.0: ', 'repo_map.relevant_files.0.relevance: '])
      expect(first).toMatchObject({ ok: false, output: expect.stringContaining(field) })
    expect(second?.ok).toBe(false)
    expect(resultOf(done)).toMatchObject({ status: 'DONE', answer: { schema_version: '1', ...codebaseReport } })
  })

  test('are warned from their eighth request on, and from the twelfth only the report is accepted', async ({
    onTestFinished,
  }) => {
    const fixture = await freshFixture(onTestFinished)
    const looks = Array.from({ length: 12 }, (_, i) => look(i + 1))
    const model = await fixture.replay({ 'scout/build/task/1.1': [...looks, report(buildReport)] })
    const done = await fixture.drydock('scout', 'build', 'how is it tested?', '--json', '--model', model)
    expect(done.exitCode, done.stderr).toBe(0)
    const conversation = conversationOf(fixture, done)
    const messages = await conversation.messages('scout/build/task/1.1')
    const warnedAt = messages.flatMap((message, i) =>
      message.role === 'user' && i > 0
        ? [{ request: (i + 1 - warningsBefore(messages, i)) / 2, text: message.text }]
        : [],
    )
    expect(warnedAt.map(({ request }) => request)).toEqual([8, 9, 10, 11, 12, 13])
    expect(warnedAt[0]?.text).toBe(
      '<iteration_limit>You have reached your iteration limit: 8 turns are left. Finish now and call `submit_report` with what you have. Without it a human has to take over.</iteration_limit>',
    )
    expect(warnedAt[4]?.text).toContain('Every call except `submit_report` is now refused.')
    const results = await conversation.results('scout/build/task/1.1')
    expect(results.map(({ ok }) => ok)).toEqual([...Array(11).fill(true), false])
    expect(results.at(-1)?.output).toBe('You have reached the limit. Only `submit_report` is accepted now.')
  })

  test('that give no report in three tries end the story as an infrastructure error', async ({ onTestFinished }) => {
    const fixture = await freshFixture(onTestFinished)
    const same = call('read_file', { path: 'value.txt' })
    const model = await fixture.replay({
      ...greenLanes,
      'editor/task/CODING': [write('half\n'), ask('codebase', 'where is the value?')],
      'scout/codebase/task/1.1': Array.from({ length: 6 }, () => look(1)),
      'scout/codebase/task/1.2': [same, same, same, same, same, same],
      'scout/codebase/task/1.3': [{ error: { kind: 'bad_request', message: 'too odd', retryable: false } }],
    })
    const done = await fixture.drydock('task', 'say new', '--json', '--model', model)
    expect(done.exitCode).toBe(4)
    const [story] = resultOf(done).stories as { stuck_report: string }[]
    const message = expect.stringMatching(
      /^the codebase scout gave no report in 3 tries: identical_calls, .*; identical_calls, last answer to \w+: .*; the model failed: too odd$/,
    )
    expect(resultOf(done)).toMatchObject({
      status: 'INFRA_ERROR',
      stories: [{ state: 'INFRA_ERROR', error_type: 'scout_failed', error_message: message }],
    })
    expect(story?.stuck_report).toContain('Why: infrastructure: scout_failed: the codebase scout gave no report')
    expect(story?.stuck_report).toContain('Kept as commit ')
    const conversation = conversationOf(fixture, done)
    expect(await conversation.lanes()).toEqual([
      'editor/task/PLANNING',
      'editor/task/CODING',
      'scout/codebase/task/1.1',
      'scout/codebase/task/1.2',
      'scout/codebase/task/1.3',
    ])
    const asked = await conversation.execution('editor/task/CODING', 1)
    expect(asked).toMatchObject({ tool: 'ask_scout', success: false, finishedAt: expect.any(String) })
    const first = await conversation.messages('scout/codebase/task/1.1')
    expect(first.filter(({ role }) => role === 'assistant')).toHaveLength(5)
    expect(await conversation.prompt('scout/codebase/task/1.3')).toMatch(
      /An earlier attempt ended without a report: identical_calls, .*; identical_calls, last answer to/,
    )
    expect((await conversation.contextFiles()).at(-1)).toMatchObject({
      milestone: 'stuck',
      content: expect.stringContaining('- value.txt (modified)'),
    })
    const tries = (await conversation.events('scout')).map(({ at }) => Date.parse(at))
    // 500 ms times 2 and then times 4, minus at most half of it at random.
    const waited = tries.slice(1).map((at, i) => at - (tries[i] ?? at))
    expect(waited.slice(-2)).toEqual([expect.toSatisfy((ms) => ms >= 500), expect.toSatisfy((ms) => ms >= 1_000)])
  })

  test('may omit missing information, and unknown fields are dropped', async ({ onTestFinished }) => {
    const fixture = await freshFixture(onTestFinished)
    const short = { answer: 'In value.txt.', verdict: 'ship it', verification_tips: 'grep -q new value.txt' }
    const model = await fixture.replay({ 'scout/codebase/task/1.1': [report({ verdict: 'ship it' }), report(short)] })
    const done = await fixture.drydock('scout', 'codebase', 'where is it?', '--json', '--model', model)
    expect(done.exitCode, done.stderr).toBe(0)
    const [first] = await conversationOf(fixture, done).results('scout/codebase/task/1.1')
    expect(first).toMatchObject({ ok: false, output: expect.stringContaining('say in `answer` what you found') })
    expect(resultOf(done).answer).toEqual({
      schema_version: '1',
      answer: 'In value.txt.',
      verification_tips: ['grep -q new value.txt'],
      repo_map: { relevant_files: [], entry_points: [], dependency_graph: {} },
      risk_zones: [],
      change_boundaries: { safe_slices: [], ordering_constraints: [] },
      conventions: { naming: '', patterns: [], anti_patterns: [] },
      prior_art: [],
      hypotheses: [],
    })
  })

  test('that are heard, but give no report, leave their editor what they said last', async ({ onTestFinished }) => {
    const fixture = await freshFixture(onTestFinished)
    const weak = Array.from({ length: 5 }, () => report({ summary: 'It is in value.txt' }))
    const model = await fixture.replay({
      'editor/task/PLANNING': [ask('codebase', 'where is the value?'), plan()],
      'editor/task/CODING': [write('new\n'), change()],
      'scout/codebase/task/1.1': weak,
      'scout/codebase/task/1.2': weak,
      'scout/codebase/task/1.3': weak,
    })
    const done = await fixture.drydock('task', 'say new', '--json', '--model', model)
    expect(done.exitCode, done.stderr).toBe(0)
    const [answer] = await conversationOf(fixture, done).results('editor/task/PLANNING')
    expect(answer).toMatchObject({ ok: false, output: expect.stringContaining('gave no report in 3 tries') })
    expect(answer?.output).toContain('It is in value.txt')
  })

  test('that a wrong key stops are not tried again until it is corrected', async ({ onTestFinished }) => {
    const fixture = await freshFixture(onTestFinished)
    const refused = { error: { kind: 'auth', message: 'invalid key', retryable: false } }
    const lanes = (scout: Turns) => ({
      ...greenLanes,
      'editor/task/PLANNING': [ask('build', 'how is it tested?'), plan()],
      'scout/build/task/1.1': scout,
    })
    const model = await fixture.replay(lanes([refused, report(buildReport)]))
    const done = await fixture.drydock('task', 'say new', '--json', '--model', model)
    expect(done.exitCode).toBe(2)
    const resumed = await fixture.drydock('resume', '--json')
    expect(resumed.exitCode, resumed.stderr).toBe(0)
    expect(await conversationOf(fixture, done).lanes()).not.toContain('scout/build/task/1.2')
  })
})

describe.concurrent('drydock scout', () => {
  test('prints the report for people, and as it was handed in for programs', async ({ onTestFinished }) => {
    const fixture = await freshFixture(onTestFinished)
    const read = call('read_file', { path: 'value.txt' })
    const model = await fixture.replay({ 'scout/codebase/task/1.1': [read, report(codebaseReport)] })
    const done = await fixture.drydock('scout', 'codebase', 'where', 'is it?', '--model', model)
    expect(done.exitCode, done.stderr).toBe(0)
    expect(done.stdout).toMatch(
      /^## Files\n\n- value.txt: primary: holds the value\n[\s\S]*\n## Hypotheses\n\n- it was never changed\n$/,
    )
    const json = await fixture.drydock('scout', 'codebase', 'where', 'is it?', '--json', '--model', model)
    expect(resultOf(json).answer).toEqual({ schema_version: '1', ...codebaseReport })
    const [found] = await conversationOf(fixture, json).results('scout/codebase/task/1.1')
    expect(found).toMatchObject({ ok: true, output: expect.stringContaining('old') })
    expect(await fixture.git('for-each-ref', '--format=%(refname)')).toBe('refs/heads/main')
  })

  test('that gets no report is an infrastructure error', async ({ onTestFinished }) => {
    const fixture = await freshFixture(onTestFinished)
    const failed = { error: { kind: 'bad_request', message: 'too odd', retryable: false } }
    const lanes = {
      'scout/build/task/1.1': [failed],
      'scout/build/task/1.2': [failed],
      'scout/build/task/1.3': [failed],
    }
    const done = await fixture.drydock('scout', 'build', 'how?', '--json', '--model', await fixture.replay(lanes))
    expect(done.exitCode).toBe(4)
    expect(resultOf(done)).toMatchObject({ status: 'INFRA_ERROR', answer: { error_type: 'scout_failed' } })
  })
})

/**
 * Number of warnings before a message of a lane whose other messages are a question, and
 * alternating replies and results.
 */
function warningsBefore(messages: readonly { readonly role: string }[], at: number): number {
  return messages.slice(1, at).filter(({ role }) => role === 'user').length
}
