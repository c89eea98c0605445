import { afterEach, describe, expect, test } from 'vitest'
import type { Story } from '../../../src/domain/story/story.ts'
import { conversationOf } from '../world/conversation.ts'
import { approve, createCrewFixture, greenStory, reply, specLanes, submit, writeFile } from '../world/crew.ts'
import { play, statesOf, withRecords } from '../world/crew-script.ts'
import {
  type CommandResult,
  call,
  change,
  createFixture,
  type Fixture,
  type FixtureOptions,
  plan,
  resultOf,
  type Turns,
  write,
} from '../world/fixture.ts'

let fixture: Fixture
afterEach(() => fixture.remove())

const guard = (turns: number) => ({ editor: { turns_without_progress: turns } })
const run = (command: string) => call('run_command', { command })
const read = (offset: number) => call('read_file', { path: 'value.txt', offset })
const reads = (count: number): Turns => Array.from({ length: count }, (_, i) => read(i + 1))

async function task(coding: Turns, { planning = [plan()], ...options }: FixtureOptions & { planning?: Turns } = {}) {
  fixture = await createFixture({ config: guard(4), ...options })
  const model = await fixture.replay({ 'editor/task/PLANNING': planning, 'editor/task/CODING': coding })
  return fixture.drydock('task', 'Say new', '--model', model, '--json')
}

const calls = ({ events }: CommandResult, lane: string) =>
  events.filter(({ type, lane: of }) => type === 'tool' && of === lane).length
const coded = (result: CommandResult) => calls(result, 'editor/task/CODING')

describe('a lane that comes to nothing new', () => {
  test('by reading on and on is stopped: a task is STUCK, and its report says why', async () => {
    const result = await task(reads(9))
    expect(resultOf(result).status).toBe('STUCK')
    expect(coded(result)).toBe(4)
    expect((await fixture.drydock('report')).stdout).toContain('its last 4 turns made no progress')
  })

  test('by running what changes nothing is stopped just as soon', async () => {
    const result = await task(Array.from({ length: 9 }, (_, i) => run(`echo ${i}`)))
    expect(resultOf(result).status).toBe('STUCK')
    expect(coded(result)).toBe(4)
  })

  test('by writing the same two contents in turn is stopped after it has seen both', async () => {
    const result = await task(Array.from({ length: 12 }, (_, i) => write(i % 2 === 0 ? 'a\n' : 'b\n')))
    expect(resultOf(result).status).toBe('STUCK')
    expect(coded(result)).toBe(6)
  })

  test('counts on where it was in a process that was ended meanwhile', async () => {
    const first = await task(reads(2))
    expect(resultOf(first).status).toBe('ERROR')
    const lanes = { 'editor/task/PLANNING': [plan()], 'editor/task/CODING': reads(9) }
    const second = await fixture.drydock('resume', '--model', await fixture.replay(lanes), '--json')
    expect(resultOf(second).status).toBe('STUCK')
    expect([coded(first), coded(second)]).toEqual([2, 2])
  })

  test('while it plans is stopped, too; reading one more file each time it is not', async () => {
    const files = Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => [`${name}.txt`, name]))
    const all = Object.keys(files).map((path) => call('read_file', { path }))
    const done = await task([write('new\n'), change()], { files, planning: [...all, plan()] })
    expect(resultOf(done).status).toBe('DONE')
    await fixture.remove()
    const stuck = await task([], { planning: reads(9) })
    expect(resultOf(stuck).status).toBe('STUCK')
    // The first of them is one more file.
    expect(calls(stuck, 'editor/task/PLANNING')).toBe(5)
  })
})

describe('progress is', () => {
  test('what commands make of the workspace, which is looked at only now and then', async () => {
    const steps = Array.from({ length: 9 }, (_, i) => run(`echo ${i} >> notes.txt`))
    const result = await task([...steps, write('new\n'), change()])
    expect(resultOf(result).status).toBe('DONE')
    const refs = await withRecords(fixture, async (records) => {
      const story = await records.machine(`${resultOf(result).run}/task`)
      return (story as Story).data.snapshots
    })
    // The plan, and the change: a look is kept as a snapshot only until the next.
    expect(refs).toBe(2)
  })

  test('another set of failing tests', async () => {
    const report = 'printf "TAP version 13\\n1..1\\nnot ok 1 - says new\\n"; grep -q new value.txt'
    const red = { steps: [{ name: 'test', command: report }] }
    const turns = [write('bad\n'), change(), ...reads(12)]
    const result = await task(turns, red)
    expect(resultOf(result).status).toBe('STUCK')
    const named = coded(result)
    await fixture.remove()
    const mute = await task(turns, { steps: [{ name: 'test', command: 'grep -q new value.txt' }] })
    expect(named).toBeGreaterThan(coded(mute))
  })
})

test('with a crew the architect looks at the figures, and what it allows begins to count anew', async () => {
  fixture = await createCrewFixture({ config: guard(4) })
  const listing = (count: number, from: number): Turns =>
    Array.from({ length: count }, (_, i) => call('list_files', { pattern: `*${from + i}` }))
  const lanes = {
    ...specLanes('slow'),
    ...greenStory('slow'),
    'editor/slow/CODING': [
      ...[writeFile('slow.txt', 'slow'), ...listing(4, 0)],
      ...listing(4, 4),
      ...[writeFile('slow.txt', 'slow\n'), submit('slow')],
    ],
    'architect/REQUEST/budget/slow/1': [approve()],
    'architect/REQUEST/budget/slow/2': [reply('Write it now.', { verdict: 'NEEDS_CHANGES' })],
    'architect/REQUEST/code/slow/1': [approve()],
  }
  const built = await play(fixture, { lanes })
  expect(statesOf(built)).toEqual({ slow: 'DONE' })
  const crew = conversationOf(fixture, built)
  for (const [round, turns] of [
    [1, 5],
    [2, 4],
  ]) {
    const asked = await crew.prompt(`architect/REQUEST/budget/slow/${round}`)
    expect(asked).toContain('stopped because: its last turns made no progress')
    expect(asked).toContain('its last 4 turns made no progress')
    expect(asked).toContain(`turns used: ${turns} of `)
  }
  const told = (await crew.messages('editor/slow/CODING')).filter(({ role }) => role === 'user')
  expect(
    told.some(
      (each) => 'text' in each && each.text.startsWith('You were stopped: its last turns made no progress (5 of '),
    ),
  ).toBe(true)
})

test('a story that has taken far more calls than the others is named in status and report', async () => {
  fixture = await createCrewFixture()
  const listing = Array.from({ length: 8 }, (_, i) => call('list_files', { pattern: `*${i}` }))
  const lanes = {
    ...specLanes('slow', 'one', 'two'),
    ...Object.assign({}, ...['slow', 'one', 'two'].map((id) => greenStory(id))),
    'editor/slow/CODING': [...listing, writeFile('slow.txt', 'slow\n'), submit('slow')],
  }
  const built = await play(fixture, { lanes })
  expect(statesOf(built)).toEqual({ slow: 'DONE', one: 'DONE', two: 'DONE' })
  const { run: id } = resultOf(built)
  expect((await fixture.drydock('status', `${id}`)).stdout).toMatch(/^slow has taken 2\.6× the calls/m)
  expect((await fixture.drydock('report', `${id}`)).stdout).toMatch(/It took 2\.6× the calls/)
  const status = (await fixture.drydock('status', `${id}`, '--json')).events.at(-1)
  const peers = (calls: number | null) => expect.objectContaining({ calls })
  expect(status?.stories).toEqual([
    expect.objectContaining({ id: 'slow', against_peers: peers(2.6) }),
    expect.objectContaining({ id: 'one', against_peers: peers(null) }),
    expect.objectContaining({ id: 'two', against_peers: peers(null) }),
  ])
})
