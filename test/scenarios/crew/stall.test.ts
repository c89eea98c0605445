import { afterEach, describe, expect, test } from 'vitest'
import type { Story } from '../../../src/domain/story/story.ts'
import { createCrewFixture, createFixture, type Fixture, type WorldOptions } from '../../world/fixture.ts'
import { conversationOf } from '../world/conversation.ts'
import { approve, greenStory, reply, specLanes, submit, writeFile } from '../world/crew.ts'
import { answerStory, escalations, play, statesOf, withRecords } from '../world/crew-script.ts'
import { type CommandResult, call, change, plan, resultOf, type Turns, write } from '../world/fixture.ts'

let fixture: Fixture
afterEach(() => fixture.remove())

const guard = (turns: number) => ({ editor: { turns_without_progress: turns } })
const run = (command: string) => call('run_command', { command })
const read = (path = 'value.txt', offset = 1) => call('read_file', { path, offset })
const times = (count: number, turn: (i: number) => Turns[number]): Turns =>
  Array.from({ length: count }, (_, i) => turn(i))
/** Two alternating calls, so that none repeats the previous one. */
const byTurns = (count: number, ...calls: Turns): Turns => times(count, (i) => calls[i % calls.length] ?? read())

async function task(coding: Turns, { planning = [plan()], ...options }: WorldOptions & { planning?: Turns } = {}) {
  fixture = await createFixture(options)
  const model = await fixture.replay({ 'editor/task/PLANNING': planning, 'editor/task/CODING': coding })
  return fixture.drydock('task', 'Say new', '--model', model, '--json')
}

const calls = ({ events }: CommandResult, lane: string) =>
  events.filter(({ type, lane: of }) => type === 'tool' && of === lane).length
const coded = (result: CommandResult) => calls(result, 'editor/task/CODING')
const modules = Object.fromEntries(
  times(30, (i) => read(`src/module-${i}.txt`)).map((_, i) => [`src/module-${i}.txt`, `${i}\n`]),
)

describe('a lane without new results', () => {
  test('by five calls in turn is stopped after 25 replies: a task is STUCK, and its report says why, with figures', async () => {
    const known = [read(), run('echo same'), call('list_files', { pattern: '*' }), run('cat value.txt'), run('true')]
    const result = await task(byTurns(60, ...known))
    expect(resultOf(result).status).toBe('STUCK')
    // Each of the five is new once.
    expect(coded(result)).toBe(30)
    const report = (await fixture.drydock('report')).stdout
    expect(report).toContain('its last 25 turns made no progress: no new file or search')
    expect(report).toContain('(30 of 400 turns used)')
    expect(report).toMatch(/last calls: run_command \{"command":"cat value\.txt"\} \(3 times\), .*, and 1 more/)
  })

  test('by outputs that differ in times and durations alone is stopped just as soon', async () => {
    const clock = (i: number) => run(`: ${i}; date +%T; date -Is; echo "took ${i}.5 ms, at /tmp/x${i}"`)
    const result = await task(times(40, clock), { config: guard(14) })
    expect(resultOf(result).status).toBe('STUCK')
    expect(coded(result)).toBe(15)
  })

  test('by reading on behind the end of a file is stopped, too', async () => {
    const result = await task(
      times(12, (i) => read('value.txt', i + 1)),
      { config: guard(4) },
    )
    expect(resultOf(result).status).toBe('STUCK')
    // The first call shows the line, the second that there are no others.
    expect(coded(result)).toBe(6)
  })

  test('by writing the same two contents in turn is stopped after it has seen both', async () => {
    const result = await task(
      times(12, (i) => write(i % 2 === 0 ? 'a\n' : 'b\n')),
      { config: guard(4) },
    )
    expect(resultOf(result).status).toBe('STUCK')
    expect(coded(result)).toBe(6)
  })

  test('by two calls in turn is stopped sooner, and told from one that stands still', async () => {
    const command = 'echo "1 failed in $(date +%N | head -c1).1 s"'
    let ran = 0
    const failed = () => {
      ran += 1
      return { exitCode: 0, output: `1 failed in ${ran % 10}.1 s\n` }
    }
    const result = await task(byTurns(40, read(), run(command)), { programs: { [command]: failed } })
    expect(resultOf(result).status).toBe('STUCK')
    expect(coded(result)).toBe(14)
    expect((await fixture.drydock('report')).stdout).toContain(
      'its last 12 calls were only 2 different ones, with the same results, and brought nothing new (14 of 400 turns used)',
    )
  })

  test('counts on where it was in a process that was ended meanwhile', async () => {
    const known = [read(), run('true'), run('echo same'), run('cat value.txt')]
    const first = await task(byTurns(6, ...known), { config: guard(4) })
    expect(resultOf(first).status).toBe('ERROR')
    const lanes = { 'editor/task/PLANNING': [plan()], 'editor/task/CODING': byTurns(9, ...known) }
    const second = await fixture.drydock('resume', '--model', await fixture.replay(lanes), '--json')
    expect(resultOf(second).status).toBe('STUCK')
    expect([coded(first), coded(second)]).toEqual([6, 2])
  })

  test('that an older version started continues, counted from its known progress', async () => {
    const known = [read(), run('true'), run('echo same'), run('cat value.txt')]
    const first = await task(byTurns(6, ...known), { config: guard(8) })
    expect(resultOf(first).status).toBe('ERROR')
    const older = { at: 2, edits: '0'.repeat(16), seen: ['tree:base'], unknown: true }
    const set = "update machines set data = json_set(data, '$.progress', json(?)) where id like '%/editor/task/CODING'"
    expect(await fixture.changeRows(set, JSON.stringify(older))).toBe(1)
    const lanes = { 'editor/task/PLANNING': [plan()], 'editor/task/CODING': byTurns(30, ...known) }
    const second = await fixture.drydock('resume', '--model', await fixture.replay(lanes), '--json')
    expect(resultOf(second).status).toBe('STUCK')
    // The later outputs are unknown any more: each of the four is new once.
    expect(coded(second)).toBe(12)
  })

  test('while it plans is stopped, too', async () => {
    const stuck = await task([], { planning: byTurns(40, read(), run('true')) })
    expect(resultOf(stuck).status).toBe('STUCK')
    expect(calls(stuck, 'editor/task/PLANNING')).toBe(14)
  })
})

describe('progress is', () => {
  test('one more file each time: who reads thirty files in planning and again in coding is not stopped', async () => {
    const reads = Object.keys(modules).map((path) => read(path))
    const result = await task([...reads, write('new\n'), change()], { files: modules, planning: [...reads, plan()] })
    expect(resultOf(result).status).toBe('DONE')
  })

  test('one more edit each time: a hundred replies of edits and the same red tests are not stopped', async () => {
    const turns = times(100, (i) => (i % 2 === 0 ? write(`try ${i}\n`) : run('grep -q new value.txt')))
    const result = await task([...turns, write('new\n'), change()])
    expect(resultOf(result).status).toBe('DONE')
    expect(coded(result)).toBe(102)
  })

  test.each([4, 25])(
    'an effect of silent commands on the workspace, seen without a snapshot (%i turns)',
    async (turns) => {
      const silent = times(40, (i) => run(`echo ${i} >> notes.txt`))
      const result = await task([...silent, write('new\n'), change()], { config: guard(turns) })
      expect(resultOf(result).status).toBe('DONE')
      const refs = await withRecords(fixture, async (records) => {
        const story = await records.machine(`${resultOf(result).run}/task`)
        return (story as Story).data.snapshots
      })
      // One snapshot for the plan, and one for the change.
      expect(refs).toBe(2)
    },
  )

  test('no state of the workspace that commands only come back to', async () => {
    const flips = times(60, (i) => run(`printf ${'abcde'.charAt(i % 5)} > value.txt; : ${i}`))
    const result = await task(flips)
    expect(resultOf(result).status).toBe('STUCK')
  })

  test('another set of failing tests', async () => {
    const report = 'printf "TAP version 13\\n1..1\\nnot ok 1 - say new\\n"; grep -q new value.txt'
    const red = { steps: [{ name: 'test', command: report }], config: guard(4) }
    const turns = [write('bad\n'), ...byTurns(3, read(), run('true')), change(), ...byTurns(12, read(), run('true'))]
    const result = await task(turns, red)
    expect(resultOf(result).status).toBe('STUCK')
    const named = coded(result)
    await fixture.remove()
    const mute = await task(turns, { ...red, steps: [{ name: 'test', command: 'grep -q new value.txt' }] })
    expect(named).toBeGreaterThan(coded(mute))
  })
})

test('in a crew the architect sees the figures, and its extension restarts the count', async () => {
  fixture = await createCrewFixture({ config: guard(4) })
  const listing = byTurns(6, call('list_files', { pattern: 'a*' }), call('list_files', { pattern: 'b*' }))
  const lanes = {
    ...specLanes('slow'),
    ...greenStory('slow'),
    'editor/slow/CODING': [
      writeFile('slow.txt', 'slow'),
      ...listing,
      ...listing.slice(0, 4),
      writeFile('slow.txt', 'slow\n'),
      submit('slow'),
    ],
    'architect/REQUEST/budget/slow/1': [approve()],
    'architect/REQUEST/budget/slow/2': [reply('Write it now.', { verdict: 'NEEDS_CHANGES' })],
    'architect/REQUEST/code/slow/1': [approve()],
  }
  const built = await play(fixture, { lanes })
  expect(statesOf(built)).toEqual({ slow: 'DONE' })
  const crew = conversationOf(fixture, built)
  for (const [round, turns] of [
    [1, 6],
    [2, 4],
  ]) {
    const asked = await crew.prompt(`architect/REQUEST/budget/slow/${round}`)
    expect(asked).toContain('stopped because: its last 4 turns made no progress: no new file')
    expect(asked).toContain(`turns used: ${turns} of `)
  }
  const told = (await crew.messages('editor/slow/CODING')).filter(({ role }) => role === 'user')
  const cause = /^You were stopped: its last 4 turns made no progress: .* \(6 of 400 turns used, /
  expect(told.some((each) => 'text' in each && cause.test(each.text))).toBe(true)
  const thread = (await fixture.drydock('chat', '--json')).stdout
  expect(thread).toMatch(/The editor was stopped: its last 4 turns made no progress: .*6 of 400 turns used/)
})

test('no reviewer lets an idle editor continue more than twice without progress: a human is asked, and the count restarts', async () => {
  fixture = await createCrewFixture({ config: guard(4) })
  const idle = byTurns(60, call('list_files', { pattern: 'a*' }), call('list_files', { pattern: 'b*' }))
  const round = (n: number) => [`architect/REQUEST/budget/slow/${n}`, [approve()]] as const
  const lanes = {
    ...specLanes('slow'),
    ...greenStory('slow'),
    'editor/slow/CODING': idle,
    ...Object.fromEntries([1, 2, 3, 4, 5, 6, 7].map(round)),
  }
  const asked = await play(fixture, { lanes }, '--no-wait')
  expect(asked.exitCode, asked.stderr).toBe(6)
  const [first, ...others] = escalations(asked)
  expect(first?.question).toMatch(/^The editor of slow was stopped: its last 4 turns made no progress: /)
  expect(first?.question).toContain('The architect has let it continue 2 times, and nothing was better after that.')
  expect(others).toEqual([])
  const requests = () => withRecords(fixture, async (records) => (await records.machines({ kind: 'request' })).length)
  const before = await requests()
  const again = await answerStory(fixture, 'slow', 'Write the file.')
  expect(escalations(again)).toHaveLength(1)
  expect((await requests()) - before).toBe(3)
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
