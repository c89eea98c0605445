import { describe, expect, onTestFinished, test } from 'vitest'
import type { WireTurn } from '../../wire/turn.ts'
import { createFixture, type Fixture } from '../../world/fixture.ts'
import {
  alwaysGreen,
  approve,
  greenStory,
  type Lanes,
  reply,
  specLanes,
  stories,
  submit,
  writeFile,
} from '../world/crew.ts'
import { escalations, statesOf } from '../world/crew-script.ts'
import { type CommandResult, call, change, plan, resultOf, write } from '../world/fixture.ts'
import { startWireCrew, type WireCrew } from '../world/wire-crew.ts'

const cut: WireTurn = { text: 'Here is the whole file:', stop: 'length' }
const broken: WireTurn = { text: 'Here is', fault: 'no_end' }
const asked = (done: CommandResult) => escalations(done).at(-1)?.question ?? ''

interface OpenCrew {
  readonly fixture: Fixture
  readonly crew: WireCrew
  go(...args: readonly string[]): Promise<CommandResult>
  answer(done: CommandResult, text: string): Promise<CommandResult>
}

/** `ends`: the number of replies of each lane that break off before a complete one. */
async function open(lanes: Lanes, ends: Readonly<Record<string, number>> = {}): Promise<OpenCrew> {
  const fixture = await createFixture({ steps: [alwaysGreen] })
  const left = new Map(Object.entries(ends))
  const crew = await startWireCrew(fixture, lanes, ({ lane }) => {
    const more = left.get(lane) ?? 0
    left.set(lane, more - 1)
    return more > 0 ? broken : null
  })
  onTestFinished(async () => {
    await crew.close()
    await fixture.remove()
  })
  const flags = ['--json', '--no-wait'] as const
  return {
    fixture,
    crew,
    go: (...args) => fixture.drydock(...args, ...flags),
    async answer(done, text) {
      const said = await fixture.drydock('reply', escalations(done).at(-1)?.id ?? '', text)
      expect(said.exitCode, said.stderr).toBe(0)
      return fixture.drydock('resume', ...flags)
    },
  }
}

const heardBy = ({ crew }: OpenCrew, lane: string) => crew.heard.filter((each) => each.lane === lane)

describe('three replies in a row that are cut', () => {
  const coding = { 'editor/task/PLANNING': [plan()], 'editor/task/CODING': [cut, cut, cut, write('new\n'), change()] }

  test('are asked about, and a reply is the guidance with which the same lane continues', async () => {
    const world = await open(coding)
    const waiting = await world.go('task', 'say new', '--model', 'wire:crew')
    expect(waiting.exitCode, waiting.stdout + waiting.stderr).toBe(6)
    for (const words of [
      '3 replies of wire:crew',
      'their limit of',
      'max_output_tokens',
      'drydock resume ',
      '--model',
      'split the work',
    ])
      expect(asked(waiting)).toContain(words)
    const done = await world.answer(waiting, 'Write one line at a time.')
    expect(resultOf(done), done.stderr).toMatchObject({ status: 'DONE' })
    expect(heardBy(world, 'editor/task/CODING').at(-1)?.raw).toContain('Write one line at a time.')
    expect(heardBy(world, 'editor/task/PLANNING')).toHaveLength(1)
  })

  test('are no more asked about once another model is named; the same one again changes nothing', async () => {
    const world = await open(coding)
    const waiting = await world.go('task', 'say new', '--model', 'wire:crew')
    expect(waiting.exitCode).toBe(6)
    expect((await world.go('resume', '--model', 'wire:crew')).exitCode).toBe(6)
    const done = await world.go('resume', '--model', 'wire:other')
    expect(resultOf(done), done.stderr).toMatchObject({ status: 'DONE' })
    expect(heardBy(world, 'editor/task/CODING')).toHaveLength(5)
  })

  test('of one editor of a crew leave the others at work', async () => {
    const world = await open({
      ...specLanes('a', 'b'),
      ...greenStory('a'),
      ...greenStory('b'),
      'editor/a/CODING': [cut, cut, cut, writeFile('a.txt', 'a\n'), submit('a')],
    })
    const waiting = await world.go('run', 'Make the files', '--model', 'wire:crew')
    expect(waiting.exitCode, waiting.stdout + waiting.stderr).toBe(6)
    const moved = waiting.events.flatMap(({ type, story, to }) => (type === 'state' ? [[story, to].join(' ')] : []))
    expect(moved.filter((move) => /ESCALATED|DONE/.test(move)).toSorted()).toEqual(['a ESCALATED', 'b DONE'])
    expect(asked(waiting)).toContain('--editor-model')
    const done = await world.answer(waiting, 'continue')
    expect(statesOf(done)).toEqual({ a: 'DONE', b: 'DONE' })
  })

  test('of the architect are asked about where it reviews, and where it plans', async () => {
    const world = await open({
      ...specLanes('a'),
      ...greenStory('a'),
      'architect/STORY_GENERATION': [cut, cut, cut, stories('a')],
      'architect/REQUEST/code/a/1': [cut, cut, cut, approve()],
    })
    const planning = await world.go('run', 'Make the files', '--model', 'wire:crew')
    expect(planning.exitCode, planning.stdout + planning.stderr).toBe(6)
    expect(asked(planning)).toContain('The architect (STORY_GENERATION) cannot go on')
    const reviewing = await world.answer(planning, 'Fewer words.')
    expect(reviewing.exitCode, reviewing.stdout + reviewing.stderr).toBe(6)
    expect(asked(reviewing)).toContain('The architect (REQUEST/code/a/1) cannot go on')
    const done = await world.go('resume', '--architect-model', 'wire:other')
    expect(done.events.some(({ type }) => type === 'escalation_answered')).toBe(true)
    expect(statesOf(done)).toEqual({ a: 'DONE' })
  })

  test('of a scout end its question, and the editor is told', async () => {
    const asks = call('ask_scout', { scout: 'codebase', question: 'where is it?' })
    const world = await open({
      ...coding,
      'editor/task/PLANNING': [asks, plan()],
      'editor/task/CODING': [write('new\n'), change()],
      scout: [cut, cut, cut],
    })
    const done = await world.go('task', 'say new', '--model', 'wire:crew')
    expect(resultOf(done), done.stderr).toMatchObject({ status: 'DONE' })
    expect(heardBy(world, 'scout')).toHaveLength(3)
    expect(heardBy(world, 'editor/task/PLANNING').at(-1)?.raw).toContain('were cut at their limit')
  })
})

describe('three endless replies in a row', () => {
  test('are asked about, for an editor and for the architect of a crew', async () => {
    const lanes = { ...specLanes('a'), ...greenStory('a'), 'architect/SCOPING': [reply('A small repository.')] }
    const world = await open(lanes, { 'editor/a/CODING': 3, 'architect/REQUEST/plan/a/1': 3 })
    const reviewing = await world.go('run', 'Make the files', '--model', 'wire:crew')
    expect(reviewing.exitCode, reviewing.stdout + reviewing.stderr).toBe(6)
    expect(asked(reviewing)).toContain('Look at the log of the model server')
    const editing = await world.answer(reviewing, 'continue')
    expect(editing.exitCode, editing.stdout + editing.stderr).toBe(6)
    const done = await world.answer(editing, 'continue')
    expect(statesOf(done)).toEqual({ a: 'DONE' })
  })
})
