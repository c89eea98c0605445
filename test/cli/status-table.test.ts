import { expect, test } from 'vitest'
import type { StatusLine } from '../../src/api/views/status.ts'
import { createScreen } from '../../src/cli/screen/screen.ts'
import { statusTable } from '../../src/cli/screen/status-table.ts'
import type { Outcome } from '../../src/domain/run/outcome.ts'
import { createTerminal } from './terminal.ts'

const outcome = (code: Outcome['code'], tone: Outcome['tone']): Outcome => ({ code, tone, sentence: '' })
const done = outcome('DONE', 'good')
const working = outcome('WORKING', 'neutral')

const line: StatusLine = {
  run: 'say-new-0a1b2c',
  kind: 'task',
  state: 'DONE',
  outcome: done,
  held_by: null,
  story: 'DONE',
  attempt: 1,
  verdict: null,
  tests_remark: null,
  started_by: null,
  priority: 'normal',
  title: 'Say new\nand more',
  branch: 'drydock/say-new',
  change: null,
  error: null,
  again: null,
  editor_stopped: null,
  paused: null,
  paused_by: null,
  pausing: false,
  short: null,
  untold: null,
  outages: [],
  open_findings: 0,
  calls: 3,
  toolCalls: 5,
  tokens: 43_512,
  cost_usd: 0.42,
}
const lines: readonly StatusLine[] = [
  line,
  {
    ...line,
    run: 'a-0a1b2c',
    state: 'MONITORING',
    outcome: working,
    story: 'VERIFYING',
    attempt: 12,
    branch: null,
    tokens: 0,
    cost_usd: 0,
  },
  {
    ...line,
    run: 'verify-0a1b2c',
    story: null,
    verdict: 'FAIL',
    outcome: outcome('FAIL', 'bad'),
    title: 'verify the working tree',
    branch: null,
  },
  {
    ...line,
    run: 'b-0a1b2c',
    state: 'INTERRUPTED',
    outcome: outcome('INTERRUPTED', 'waiting'),
    story: 'CODING',
    branch: null,
    cost_usd: null,
  },
  {
    ...line,
    run: 'c-0a1b2c',
    state: 'ERROR',
    outcome: outcome('ERROR', 'bad'),
    branch: null,
    error: 'The provider refused the key or does not know the model.',
  },
]
const table = (columns: number | null, shown = lines) =>
  statusTable(createScreen(createTerminal(columns).stream, { NO_COLOR: '1' }), shown).split('\n')

test('runs are shown in columns, with unfinished work and how to continue it', () => {
  expect(table(null)).toEqual([
    'RUN             STATE            TOKENS     COST  BRANCH OR TASK',
    'say-new-0a1b2c  DONE              43.5k    $0.42  drydock/say-new',
    'a-0a1b2c        VERIFYING 12/12       0       $0  Say new',
    'verify-0a1b2c   FAIL              43.5k    $0.42  verify the working tree',
    'b-0a1b2c        INTERRUPTED       43.5k  unknown  Say new',
    'c-0a1b2c        ERROR             43.5k    $0.42  The provider refused the key or does not know the model.',
    '',
    'Continue with:  drydock resume',
  ])
})

test('a crew shows the work of its architect, the progress of its stories, and its questions', () => {
  const crew = { architect: 'REQUEST', done: 1, stories: 3, escalations: ['12'] }
  const spec = {
    ...line,
    state: 'MONITORING',
    outcome: working,
    story: null,
    attempt: null,
    branch: null,
    tokens: 0,
    crew,
  }
  const shown: readonly StatusLine[] = [
    spec,
    { ...spec, run: 'b', state: 'SCOPING', crew: { ...crew, stories: 0, escalations: [] } },
    {
      ...spec,
      run: 'c',
      state: 'DONE',
      outcome: done,
      branch: 'drydock/c',
      crew: { ...crew, done: 3, escalations: [] },
    },
  ]
  expect(table(null, shown)).toEqual([
    'RUN             STATE        TOKENS   COST  BRANCH OR TASK',
    'say-new-0a1b2c  REQUEST 1/3       0  $0.42  Say new',
    'b               SCOPING           0  $0.42  Say new',
    'c               DONE 3/3          0  $0.42  drydock/c',
    '',
    'Waiting for you: message 12. Read:  drydock chat',
  ])
})

test('in a terminal no line is wider than it', () => {
  expect(table(60)[5]).toBe('c-0a1b2c        ERROR             43.5k    $0.42  The provi…')
})

test('a run that reached its budget is shown with the command that raises it', () => {
  const reached = { ...outcome('BUDGET_REACHED', 'waiting'), label: 'Paused by budget.story_usd' }
  const crew = { architect: 'PAUSED', done: 1, stories: 3, escalations: [] }
  const shown: readonly StatusLine[] = [
    {
      ...line,
      state: 'PAUSED',
      outcome: reached,
      paused_by: 'budget',
      short: { bounds: [{ cap: 'story_usd', limit: 5, spent: 5 }], command: 'drydock budget say-new-0a1b2c --raise 1' },
      story: 'PAUSED',
      branch: null,
    },
    { ...line, run: 'b', state: 'PAUSED', outcome: outcome('BUDGET_REACHED', 'waiting'), paused_by: 'budget', crew },
  ]
  expect(table(null, shown)).toEqual([
    'RUN             STATE                       TOKENS   COST  BRANCH OR TASK',
    'say-new-0a1b2c  PAUSED by budget.story_usd   43.5k  $0.42  Say new',
    'b               PAUSED 1/3                   43.5k  $0.42  drydock/say-new',
    '',
    "say-new-0a1b2c is PAUSED: $5.00 of the story's $5.00 is spent (budget.story_usd). Allow more:  drydock budget say-new-0a1b2c --raise 1",
    '',
    'b is PAUSED: it reached its budget. Allow more:  drydock budget b --raise 5',
  ])
})

test('a run that a human has paused, or is pausing, is shown with the command that continues it', () => {
  const shown = [
    {
      ...line,
      run: 'a',
      state: 'PAUSED',
      outcome: { ...outcome('PAUSED', 'waiting'), sentence: 'It was paused by Ada.', label: 'Paused by Ada' },
      paused_by: 'user',
      story: 'PAUSED',
      branch: null,
    },
    {
      ...line,
      run: 'b',
      state: 'MONITORING',
      outcome: outcome('PAUSING', 'neutral'),
      pausing: true,
      story: 'CODING',
      branch: null,
    },
  ] as const
  expect(table(null, shown)).toEqual([
    'RUN  STATE          TOKENS   COST  BRANCH OR TASK',
    'a    PAUSED by Ada   43.5k  $0.42  Say new',
    'b    CODING 1/12     43.5k  $0.42  Say new',
    '',
    'a: It was paused by Ada. Continue with:  drydock resume a',
    '',
    'b is being paused: the current steps end first. Continue with:  drydock resume b',
  ])
})

test('nothing is said of resume when all is done', () => {
  expect(table(null, [line])).toHaveLength(2)
})

test('an error of several lines is one row, with its first', () => {
  const [, row, ...others] = table(null, [{ ...line, branch: null, error: 'The first line\nand a second' }])
  expect(row?.endsWith('  The first line')).toBe(true)
  expect(others).toEqual([])
})
