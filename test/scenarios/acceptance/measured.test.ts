import { afterAll, beforeAll, expect, test } from 'vitest'
import { emptyTally, heldByAcceptance, tallyEvent } from '../../../src/evaluation/attempt/tally-events.ts'
import { createFixture, type Fixture } from '../../world/fixture.ts'
import { memoryNode } from '../../world/node.ts'
import {
  criterion,
  doubling,
  hiddenTests,
  honest,
  judgement,
  onlyTwo,
  quoted,
  testOf,
  write,
  written,
} from '../world/acceptance.ts'
import { type CommandResult, change, plan, type Turns } from '../world/fixture.ts'

/** The outcome that `drydock bench` derives from a run's events. */
let fixture: Fixture
beforeAll(async () => {
  fixture = await createFixture({ programs: { node: memoryNode }, ...doubling })
})
afterAll(() => fixture.remove())

/** Wrongly expects that 37 is doubled to 73. */
const wrongTests = {
  'architect/ACCEPTANCE/task': [
    written({
      files: [{ path: 'quokka.test.js', content: testOf('a quokka is doubled', 37, 73) }],
      criteria: [{ id: 'C1', tests: ['a quokka is doubled'], behaviour: 'new' }],
    }),
  ],
  'architect/ACCEPTANCE_QUOTES/task/1': [quoted(criterion, 'a quokka is doubled')],
}

const stands = {
  'architect/REQUEST/acceptance/task/1': [judgement({ id: 'C1', decision: 'stands', reason: 'It says so.' })],
}

async function start(lanes: Readonly<Record<string, Turns>>, ...more: readonly string[]): Promise<CommandResult> {
  const model = await fixture.replay({ 'editor/task/PLANNING': [plan()], ...lanes })
  const args = ['task', 'double numbers', '--criterion', criterion, '--json', '--no-wait', '--model', model]
  return fixture.drydock(...args, ...more)
}

function heldIn(...results: readonly CommandResult[]): boolean | null {
  const tally = emptyTally()
  for (const { events } of results) for (const event of events) tallyEvent(tally, event)
  return heldByAcceptance(tally)
}

const question = ({ events }: CommandResult) => String(events.find(({ type }) => type === 'escalation')?.id)

test('a change that meets its acceptance tests in the end is not held by them', async () => {
  const coding = [onlyTwo, write('double.test.js', testOf('two is doubled', 2)), change(), honest, change()]
  const done = await start({ ...hiddenTests('task'), 'editor/task/CODING': coding }, '--acceptance')
  expect([done.exitCode, heldIn(done)], done.stderr).toEqual([0, false])
})

test('without any acceptance tests the report does not mention them', async () => {
  const coding = [honest, change()]
  const without = await start({ 'editor/task/CODING': coding })
  const unwritten = await start({ 'editor/task/CODING': coding }, '--acceptance')
  expect([without.exitCode, unwritten.exitCode]).toEqual([0, 0])
  expect([heldIn(without), heldIn(unwritten)]).toEqual([null, null])
})

test('wrong tests that are dropped hold nothing in the end', async () => {
  const done = await start(
    {
      ...wrongTests,
      'editor/task/CODING': [honest, change(), change('Every number is doubled')],
      'architect/REQUEST/acceptance/task/1': [judgement({ id: 'C1', decision: 'dropped', reason: 'Twice 37 is 74.' })],
    },
    '--acceptance',
  )
  expect([done.exitCode, heldIn(done)], done.stderr).toEqual([0, false])
})

test('tests that stand hold a change while nobody answers, and until a person allows it', async () => {
  const coding = [honest, change(), change('It is right'), write('notes.md', 'right\n'), change('It is still right')]
  const asked = await start({ ...wrongTests, ...stands, 'editor/task/CODING': coding }, '--acceptance')
  expect([asked.exitCode, heldIn(asked)], asked.stderr + asked.stdout).toEqual([6, true])
  await fixture.drydock('reply', question(asked), 'allow', '--json')
  const allowed = await fixture.drydock('resume', String(asked.events[0]?.run), '--json')
  expect([allowed.exitCode, heldIn(asked, allowed)], allowed.stderr + allowed.stdout).toEqual([0, true])
})

test('an editor’s work after a person’s answer is another change, which they do not hold', async () => {
  const coding = [
    onlyTwo,
    write('double.test.js', testOf('two is doubled', 2)),
    change(),
    change('It is right'),
    write('double.js', 'export const double = (n) => (n === 2 ? 2 + 2 : 0)\n'),
    change('Still right'),
    honest,
    change(),
  ]
  const asked = await start({ ...hiddenTests('task'), ...stands, 'editor/task/CODING': coding }, '--acceptance')
  expect([asked.exitCode, heldIn(asked)], asked.stderr + asked.stdout).toEqual([6, true])
  await fixture.drydock('reply', question(asked), 'Use arithmetic.', '--json')
  const done = await fixture.drydock('resume', String(asked.events[0]?.run), '--json')
  expect([done.exitCode, heldIn(asked, done)], done.stderr + done.stdout).toEqual([0, false])
})

test('a change that time ends after it was held is held', async () => {
  const coding = [onlyTwo, write('double.test.js', testOf('two is doubled', 2)), change()]
  const { events } = await start({ ...hiddenTests('task'), 'editor/task/CODING': coding }, '--acceptance')
  const isUnmet = ({ type, event }: (typeof events)[number]) => type === 'state' && event === 'criteria_unmet'
  const until = events.slice(0, 1 + events.findIndex(isUnmet))
  expect(until.length).toBeGreaterThan(1)
  expect(heldIn({ exitCode: 0, stdout: '', stderr: '', events: until })).toBe(true)
})

test('each story is held by its own tests, and a red base that a person allows is none of them', () => {
  const verified = (story: string, acceptance?: string) => ({ type: 'verification', run_id: 'v', story, acceptance })
  const moved = (story: string, event: string, to: string) => ({ type: 'state', story, event, to })
  const held = (...events: CommandResult['events']) => heldIn({ exitCode: 0, stdout: '', stderr: '', events })
  expect(held(verified('a', 'not_met'), verified('b', 'met'), moved('b', 'merged', 'DONE'))).toBe(true)
  expect(held(verified('a', 'met'), verified('b'), moved('b', 'allowed', 'VERIFYING'))).toBe(false)
  const allowed = [verified('a', 'not_met'), moved('a', 'allowed', 'VERIFYING'), verified('a', 'not_met')]
  expect(held(...allowed, moved('a', 'merged', 'DONE'))).toBe(true)
  // A reviewer has sent the story back in the meantime.
  expect(held(...allowed, verified('a', 'met'), moved('a', 'merged', 'DONE'))).toBe(false)
  // Tests that could not run prove nothing.
  expect(held(verified('a', 'not_run'))).toBeNull()
})
