import { stripVTControlCharacters } from 'node:util'
import { describe, expect, test } from 'vitest'
import { createProgress } from '../../src/cli/screen/progress.ts'
import { widthOf } from '../../src/cli/screen/screen.ts'
import { formatElapsed } from '../../src/cli/screen/storyline.ts'
import type { Event } from '../../src/domain/event.ts'
import { formatCount } from '../../src/domain/figures-text.ts'
import type { JsonObject } from '../../src/domain/json.ts'
import { createTerminal, eraseLine, type FakeTerminal } from './terminal.ts'

const begin = Date.now() - 65_000

/** Events of a Run, one each second. */
function eventsOf(run: string, ...entries: readonly (readonly [type: string, data: JsonObject])[]): Event[] {
  return entries.map(([type, data], i) => {
    return {
      id: i + 1,
      run,
      story: 'task',
      type,
      data,
      at: new Date(begin + i * 1_000).toISOString(),
    } as unknown as Event
  })
}

const state = (from: string, event: string, to: string) => ['state', { from, event, to }] as const

const story = eventsOf(
  'fix-the-login-timeout-0a1b2c',
  ['run', { kind: 'task', title: `Fix the login timeout, ${'which is a long story, '.repeat(9)}\nand more` }],
  ['run_state', { from: 'WAITING', to: 'MONITORING', base: 'c0ffee00c0ffee00', branch: 'drydock/fix-the-login' }],
  state('QUEUED', 'slot_assigned', 'SETUP'),
  state('SETUP', 'workspace_ready', 'PLANNING'),
  ['model_call', { lane: 'editor/task/PLANNING', turn: 0, stop: 'calls', error: null, tokens: 2_200 }],
  ['scout', { scout: 'codebase', query: 1, state: 'ASKED' }],
  ['scout', { scout: 'codebase', query: 1, try: 1, state: 'ANSWERED' }],
  ['model_call', { lane: 'editor/task/PLANNING', turn: 1, stop: 'error', error: 'overloaded', tokens: null }],
  state('PLANNING', 'plan_submitted', 'CODING'),
  ['tool', { lane: 'editor/task/CODING', turn: 0, tool: 'edit_file', ok: true }],
  state('CODING', 'change_submitted', 'VERIFYING'),
  ['verification', { run_id: 'run_20261103_100000_abcdef', status: 'FAIL' }],
  state('VERIFYING', 'failed', 'CODING'),
  ['tool', { lane: 'editor/task/CODING', turn: 3, tool: 'run_command', ok: true }],
)

function show(events: readonly Event[], columns: number | null, env: Record<string, string> = {}): FakeTerminal {
  const terminal = createTerminal(columns)
  const progress = createProgress({ stderr: terminal.stream, env }, { json: false })
  for (const event of events) progress.show(event)
  progress.end()
  return terminal
}

describe('in a terminal', () => {
  test('people see each state, what happened in it, and when', () => {
    expect(show(story, 60).lines()).toEqual([
      'run fix-the-login-timeout-0a1b2c',
      '  Fix the login timeout, which is a long story, which is a…',
      '  0:01  from c0ffee00 to drydock/fix-the-login',
      '  0:02  SETUP',
      '  0:03  PLANNING',
      '  0:06    scout codebase: answered',
      '  0:07    model: overloaded',
      '  0:08  CODING      attempt 1/12',
      '  0:10  VERIFYING',
      '  0:11    FAIL      run_20261103_100000_abcdef',
      '  0:12  CODING      attempt 2/12',
      '',
    ])
  })

  test('one live line says state, attempt, last tool, elapsed time and tokens, and goes when it ends', () => {
    const terminal = createTerminal(80)
    const progress = createProgress({ stderr: terminal.stream, env: {} }, { json: false })
    for (const event of story) progress.show(event)
    expect(terminal.lines().at(-1)).toMatch(/^ {2}1:0\d {2}CODING · attempt 2\/12 · run_command · 2\.2k tokens$/)
    progress.end()
    progress.end()
    expect(terminal.lines().at(-1)).toBe('')
  })

  test('a lane that waits for its provider is a line, and the live line begins with it', () => {
    const reason = 'anthropic answered 529: Overloaded'
    const until = new Date(Date.now() + 3_600_000).toISOString()
    const paused = eventsOf('paused', ['suspended', { lane: 'editor/task/CODING', reason, until }])
    const terminal = createTerminal(100)
    const progress = createProgress({ stderr: terminal.stream, env: {} }, { json: false })
    for (const event of paused) progress.show(event)
    const next = /next try (\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\d/.source
    expect(terminal.lines().at(-2)).toMatch(new RegExp(`^ +\\d:\\d\\d +PAUSED +${reason}; ${next}$`))
    expect(terminal.lines().at(-1)).toMatch(new RegExp(`^ +\\d:\\d\\d +PAUSED by the provider, ${next} · WAITING · `))
    progress.end()
  })

  test('git at work on a large repository is one line, and the live line says how far it is until it is done', () => {
    const progressOf = (step: string, done: number, total: number | null) =>
      ['git_progress', { step, done, total }] as const
    const events = eventsOf(
      'large',
      state('QUEUED', 'slot_assigned', 'SETUP'),
      progressOf('Enumerating objects', 4_200, null),
      progressOf('Writing objects', 19_999, 80_000),
      state('SETUP', 'workspace_ready', 'PLANNING'),
    )
    const terminal = createTerminal(100)
    const progress = createProgress({ stderr: terminal.stream, env: {} }, { json: false })
    const live: (string | undefined)[] = []
    for (const event of events) {
      progress.show(event)
      live.push(/SETUP · (.*) · 0 tokens$/.exec(terminal.lines().at(-1) ?? '')?.[1])
    }
    progress.end()
    expect(live.slice(1)).toEqual([
      'attempt 1/12 · Enumerating objects 4200',
      'attempt 1/12 · Writing objects 24 %',
      undefined,
    ])
    expect(terminal.lines().filter((line) => line.includes('large repository'))).toHaveLength(1)
    expect(show(events, null).written()).toContain('large repository its history is made ready, once\n')
  })

  test.each([20, 40, 80])('no line is wider than %d columns, and none is broken by another', (columns) => {
    const terminal = show(story, columns)
    for (const line of terminal.lines()) expect(widthOf(line), line).toBeLessThanOrEqual(columns)
    for (const drawn of terminal.written().split(eraseLine)) {
      const [first = '', ...rest] = stripVTControlCharacters(drawn).split('\n')
      expect(widthOf(first), first).toBeLessThanOrEqual(columns)
      if (first.includes(' · ')) expect(rest).toEqual([])
    }
  })

  test('after three failures in a row it plans again', () => {
    const failing = eventsOf(
      'r',
      state('PLANNING', 'plan_submitted', 'CODING'),
      state('VERIFYING', 'replan', 'PLANNING'),
    )
    expect(show(failing, 80).lines()).toContain('  0:01  PLANNING    3 failures in a row: planning again')
  })

  test('several Runs each stand under their own name', () => {
    const [one, two] = ['one', 'two'].map((run) =>
      eventsOf(run, state('SETUP', 'workspace_ready', 'PLANNING'), state('PLANNING', 'plan_submitted', 'CODING')),
    ) as [Event[], Event[]]
    const mixed = [one[0], two[0], one[1]].filter((event) => event !== undefined)
    expect(show(mixed, 80).lines()).toEqual([
      'run one',
      '  0:00  PLANNING',
      '',
      'run two',
      '  0:00  PLANNING',
      '',
      'run one',
      '  0:01  CODING      attempt 1/12',
      '',
    ])
  })

  test('NO_COLOR takes the colours and leaves the rest', () => {
    const plain = show(story, 80, { NO_COLOR: '1' })
    expect(plain.written().replaceAll(eraseLine, '')).not.toContain('\u001b')
    expect(plain.lines()).toEqual(show(story, 80).lines())
    expect(show(story, 80).written()).toContain('\u001b[1mCODING')
  })
})

test('a pipe gets the same lines whole, and nothing else', () => {
  const { written } = show(story, null)
  for (const mark of ['\u001b', '\r', '·']) expect(written()).not.toContain(mark)
  expect(written()).toContain(`which is a long story, ${'which is a long story, '.repeat(8)}\n  0:01`)
})

test('with --json people’s progress is not mixed in', () => {
  const terminal = createTerminal(80)
  const progress = createProgress({ stderr: terminal.stream, env: {} }, { json: true })
  for (const event of story) progress.show(event)
  progress.end()
  expect(terminal.written()).toBe('')
})

test('times and tokens stay short', () => {
  expect([0, 59_999, 60_000, 3_599_999, 3_600_000, -5].map(formatElapsed)).toEqual([
    '0:00',
    '0:59',
    '1:00',
    '59:59',
    '1:00:00',
    '0:00',
  ])
  expect([0, 999, 1_000, 43_512, 999_949, 999_950, 20_000_000].map(formatCount)).toEqual([
    '0',
    '999',
    '1.0k',
    '43.5k',
    '999.9k',
    '1.0M',
    '20.0M',
  ])
})
