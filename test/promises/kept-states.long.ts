import { afterEach, describe, expect, test } from 'vitest'
import { call, change, type Fixture, plan, resultOf, write } from '../scenarios/world/fixture.ts'
import { keptRun, keptStates, openKept } from '../scenarios/world/kept-state.ts'
import { codebaseReport } from '../scenarios/world/reports.ts'
import { read } from '../scenarios/world/stored-crew.ts'

let fixture: Fixture | undefined
afterEach(() => fixture?.remove())

const whole = [write('new\n'), change()]
const again = [
  call('read_file', { path: 'value.txt' }),
  plan({ hypothesis: 'The value was wrong.', slices: ['another way'] }),
]
const bad = (n: number) => [write(`bad ${n}\n`), change(`bad ${n}`, { hypothesis: `Because ${n}` })]
const replanned = {
  'editor/task/PLANNING': [plan()],
  'editor/task/CODING': [...bad(1), ...bad(2), ...bad(3)],
  'editor/task/PLANNING/2': again,
  'editor/task/CODING/2': whole,
}

/** Actions of a person before the Run continues. */
const before: Readonly<Record<string, (kept: Fixture) => Promise<unknown>>> = {
  'crew-approval': (kept) => answer(kept, 'approve'),
  'crew-escalated': (kept) => answer(kept, 'Decide.'),
  'scout-waiting': (kept) => kept.replay({ 'scout/codebase/task/1.1': [call('submit_report', codebaseReport)] }),
  'task-error': (kept) => kept.replay({ 'editor/task/PLANNING': [plan()], 'editor/task/CODING': whole }),
  'task-failed-twice': (kept) => kept.replay(replanned),
  'task-replan': (kept) => kept.replay(replanned),
  'task-stuck': async (kept) => {
    await kept.replay({ 'editor/task@2/PLANNING': [plan()], 'editor/task@2/CODING': whole })
    return kept.drydock('retry', keptRun, '--json')
  },
}

async function answer(kept: Fixture, words: string) {
  const { stdout } = await kept.drydock('chat', '--json')
  const [, id = ''] = /"id":"?(\d+)/.exec(stdout) ?? []
  return kept.drydock('reply', id, words)
}

/** The system prompt and the messages of each lane: its next request starts with them. */
const lanesOf = (kept: Fixture) =>
  read(kept, async (records) => {
    const lanes = await records.machines({ kind: 'lane', run: keptRun })
    return Promise.all(
      lanes.map(async ({ id, data }) => ({ id, system: data.system, messages: await records.messages(id) })),
    )
  })

describe('a state of 0.6.0 is completed, and each lane continues with its own words', () => {
  test.each(keptStates)('%s', async (name) => {
    fixture = await openKept(name)
    const had = await lanesOf(fixture)
    await before[name]?.(fixture)
    const done = await fixture.drydock('resume', keptRun, '--json', '--no-wait')
    expect(done.exitCode, done.stdout + done.stderr).toBe(0)
    expect(resultOf(done)).toMatchObject({ run: keptRun, status: name === 'verify-waiting' ? 'PASS' : 'DONE' })
    expect(await read(fixture, (records) => records.isIdle(keptRun))).toBe(true)
    const has = new Map((await lanesOf(fixture)).map((lane) => [lane.id, lane]))
    for (const { id, system, messages } of had) {
      expect(has.get(id)?.system).toBe(system)
      expect(has.get(id)?.messages.slice(0, messages.length)).toEqual(messages)
    }
    expect((await fixture.drydock('report', keptRun)).exitCode).toBe(0)
    expect((await fixture.drydock('status', keptRun)).exitCode).toBe(0)
  })
})
