import { expect, test } from 'vitest'
import { toLine } from '../../src/cli/commands/start/attend.ts'
import { createProgress } from '../../src/cli/screen/progress.ts'
import type { Event } from '../../src/domain/event.ts'
import type { JsonObject } from '../../src/domain/json.ts'
import { createTerminal, type FakeTerminal } from './terminal.ts'

const begin = Date.now() - 65_000

type Entry = readonly [story: string | null, type: string, data: JsonObject]

function eventsOf(...entries: readonly Entry[]): Event[] {
  return entries.map(([story, type, data], i) => {
    return { id: i + 1, run: 'durations-0a1b2c', story, type, data, at: new Date(begin + i * 1_000).toISOString() }
  }) as unknown as Event[]
}

const state = (story: string, from: string, event: string, to: string): Entry => [story, 'state', { from, event, to }]
const run = (from: string, event: string, to: string, more: JsonObject = {}): Entry =>
  [null, 'run_state', { from, event, to, ...more }] as unknown as Entry

const finding = {
  id: 'p1',
  severity: 'major',
  file: 'src/parser.ts',
  line: 3,
  claim: 'Nothing is said of leap seconds, which two tests already speak of',
}

const crew = eventsOf(
  [null, 'run', { kind: 'spec', title: 'Durations' }],
  run('WAITING', 'scoping_started', 'SCOPING', { base: 'c0ffee00c0ffee00', branch: 'drydock/durations' }),
  run('SCOPING', 'scoped', 'STORY_GENERATION'),
  [null, 'stories', { count: 3, ids: ['parser', 'printer', 'docs'] }],
  run('STORY_GENERATION', 'started', 'MONITORING'),
  state('parser', 'QUEUED', 'slot_assigned', 'SETUP'),
  state('printer', 'QUEUED', 'slot_assigned', 'SETUP'),
  ['parser', 'model_call', { lane: 'editor/parser/PLANNING', turn: 0, error: null, tokens: 2_200 }],
  state('parser', 'PLANNING', 'plan_to_review', 'PLAN_REVIEW'),
  ['parser', 'request', { kind: 'plan', round: 1, state: 'OPEN' }],
  ['parser', 'review', { kind: 'plan', round: 1, verdict: 'NEEDS_CHANGES', open: 1, findings: [finding] }],
  ['parser', 'request', { kind: 'plan', round: 1, state: 'ANSWERED', verdict: 'NEEDS_CHANGES' }],
  state('parser', 'PLAN_REVIEW', 'approved', 'CODING'),
  ['parser', 'verification', { run_id: 'run_20261103_100000_abcdef', status: 'FAIL' }],
  state('parser', 'VERIFYING', 'failed', 'CODING'),
  ['printer', 'request', { kind: 'question', round: 1, state: 'ANSWERED' }],
  ['parser', 'merge', { state: 'MERGING' }],
  ['parser', 'merge', { state: 'MERGED', sha: 'c0ffee11c0ffee11' }],
  state('parser', 'MERGING', 'merged', 'DONE'),
  ['printer', 'chat', { id: '7', agent_id: 'editor' }],
  ['printer', 'escalation', { id: '8', question: 'Round half up, or to even?', evidence: 'Tried: both' }],
)

function show(events: readonly Event[], columns: number | null): FakeTerminal {
  const terminal = createTerminal(columns)
  const progress = createProgress({ stderr: terminal.stream, env: {} }, { json: false })
  for (const event of events) progress.show(event)
  progress.end()
  return terminal
}

test('each line names its story, and a question stands out with the line that answers it', () => {
  expect(show(crew, 80).lines()).toEqual([
    'run durations-0a1b2c',
    '  Durations',
    '  0:01  SCOPING     from c0ffee00 to drydock/durations',
    '  0:02  STORY_GENERATION',
    '  0:03  3 stories   parser, printer, docs',
    '  0:04  MONITORING',
    '  0:05  parser       SETUP',
    '  0:06  printer      SETUP',
    '  0:08  parser       PLAN_REVIEW',
    '  0:10  parser         NEEDS_CHANGES plan review 1, 1 finding open',
    '        p1 (major) src/parser.ts:3: Nothing is said of leap seconds, which two…',
    '  0:12  parser       CODING      attempt 1/12',
    '  0:13  parser         FAIL      run_20261103_100000_abcdef',
    '  0:14  parser       CODING      attempt 2/12',
    '  0:15  printer        question answered',
    '  0:17  parser         merged    c0ffee11c0ff',
    '  0:18  parser       DONE',
    '  0:19  printer        chat      editor, message 7',
    '  0:20  printer      ASKS YOU    message 8',
    '',
    'Round half up, or to even?',
    '',
    'Tried: both',
    '',
    'drydock reply 8 "…"',
    '',
    '',
  ])
})

test('an answer is told once, in full; what a story waits for its workspace with, once; and why a merge came back', () => {
  const events = eventsOf(
    [null, 'run', { kind: 'spec', title: 'Durations' }],
    ['printer', 'escalation', { id: '8', question: 'Round how?', evidence: '' }],
    ['printer', 'chat', { id: '9', agent_id: 'human', reply_to: '8' }],
    ['printer', 'escalation_answered', { id: '8', answer: 'To even.' }],
    ['printer', 'chat', { id: '10', agent_id: 'human', reply_to: '8' }],
    ['parser', 'merge', { state: 'RETURNED', conflicts: ['a.ts', 'b.ts'] }],
    ['docs', 'merge', { state: 'RETURNED', conflicts: [] }],
    state('parser', 'MERGING', 'workspace_wanted', 'SETUP'),
    state('parser', 'SETUP', 'slot_assigned', 'SETUP'),
    state('parser', 'SETUP', 'workspace_back', 'MERGING'),
    state('parser', 'MERGING', 'merge_returned', 'CODING'),
  )
  expect(show(events, 80).lines().slice(2)).toEqual([
    '  0:01  printer      ASKS YOU    message 8',
    '',
    'Round how?',
    '',
    'drydock reply 8 "…"',
    '',
    '  0:03  printer        answered  message 8',
    '',
    'To even.',
    '',
    '  0:04  printer        chat      human, message 10',
    '  0:05  parser         merge returned conflict in a.ts, b.ts',
    '  0:06  docs           merge returned the merged result fails verification',
    '  0:07  parser       SETUP',
    '  0:10  parser       CODING',
    '',
  ])
})

test('the live line counts the stories by state, and the questions until they are answered', () => {
  const terminal = createTerminal(100)
  const progress = createProgress({ stderr: terminal.stream, env: {} }, { json: false })
  for (const event of crew) progress.show(event)
  expect(terminal.lines().at(-1)).toMatch(
    /^ {2}1:0\d {2}1\/3 DONE · 1 question for you · 1 QUEUED · 1 SETUP · 2\.2k tokens$/,
  )
  progress.show({
    ...(crew[0] as Event),
    story: 'printer',
    type: 'escalation_answered',
    data: { id: '8', answer: 'To even.' },
  })
  expect(terminal.lines().at(-1)).toMatch(/ {2}1\/3 DONE · 1 QUEUED · 1 SETUP · 2\.2k tokens$/)
  progress.end()
})

test('a pipe gets the same lines', () => {
  const { written } = show(crew, null)
  expect(written()).toContain(
    '  0:20  printer      ASKS YOU    message 8\n\nRound half up, or to even?\n\nTried: both\n\ndrydock reply 8 "…"',
  )
})

test('with --json an escalation has the id of its message, and says of which story it is, or null', () => {
  const event = crew.at(-1) as Event
  const line = { type: 'escalation', id: '8', question: 'Round half up, or to even?' }
  expect(toLine(event)).toMatchObject({ ...line, story: 'printer' })
  expect(toLine({ ...event, story: null })).toMatchObject({ ...line, story: null })
})

test('an edit of the plan names who made it, and what is dropped is counted no more', () => {
  const nothing = { edit: 'e', by: 'Ada', added: [], changed: [], dropped: [], problems: [] }
  const edited = [
    ...crew.slice(0, 6),
    ...eventsOf(
      state('docs', 'QUEUED', 'dropped', 'DROPPED'),
      [null, 'plan_edit', { ...nothing, outcome: 'edited', added: ['manual'], dropped: ['docs'] }],
      [null, 'plan_edit', { ...nothing, outcome: 'refused', problems: ['there are no stories'] }],
    ),
  ]
  const text = show(edited, null).lines().join('\n')
  expect(text.match(/plan edited by Ada.*/g)).toEqual([expect.stringContaining('added manual; dropped docs')])
})
