import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { limits } from '../../../src/domain/limits.ts'
import { createMemoryClock } from '../../world/clock.ts'
import { createMemoryFixture, type MemoryFixture, type WorldOptions } from '../../world/fixture.ts'
import { memoryNode } from '../../world/node.ts'
import type { Program } from '../../world/sandbox.ts'
import { greenStory, specLanes } from '../world/crew.ts'
import { play, statesOf } from '../world/crew-script.ts'
import { call, change, plan, resultOf, write } from '../world/fixture.ts'

const head = `import test from 'node:test'\nimport assert from 'node:assert'\n`
const old = `${head}test('old', () => assert.ok(false))\n`
const command = 'node --test --test-reporter=spec'
const steps = [{ name: 'test', command, timeout_sec: 30 }]
const files = { 'package.json': '{ "type": "module" }\n', 'test/old.test.js': old }
const also = 'also fail on the base commit'

let fixture: MemoryFixture
/** The commits on which the steps ran, in a checkout of the gate. */
let ran: string[]
/** True to make the steps on a commit hang, once. */
let hangs: boolean
/** The number of stories whose steps end together. */
let together: number

async function open(more: Pick<WorldOptions, 'steps' | 'files'> = {}): Promise<void> {
  const clock = createMemoryClock()
  ran = []
  hangs = false
  together = 0
  const node: Program = async (seen, args) => {
    if (seen.commit !== null) ran.push(seen.commit)
    const base = together > 0 ? await fixture.git('rev-parse', 'main') : ''
    while (new Set(ran.filter((commit) => commit !== base)).size < together) await new Promise(setImmediate)
    if (seen.commit === null || !hangs) return memoryNode(seen, args)
    hangs = false
    return new Promise(() => {})
  }
  /** Advances the clock until the steps on the base have started. */
  const begins: Program = async () => {
    await clock.advance(limits.baseVerdictMs)
    while (ran.length === 0) await new Promise(setImmediate)
    return 0
  }
  /** A model that thinks until the base has its verdict. */
  const waits: Program = async () => {
    await clock.advance(limits.baseVerdictMs)
    while ((await newest('base_verdict')) === undefined) await new Promise(setImmediate)
    return 0
  }
  const programs = { node, waits, begins, lint: () => 1 }
  fixture = await createMemoryFixture({ steps, files, programs, clock, ...more })
  onTestFinished(() => fixture.remove())
}

beforeEach(() => open())

const coding = { 'editor/task/PLANNING': [plan()], 'editor/task/CODING': [write('new\n'), change()] }
const task = async (lanes: object = coding, ...flags: readonly string[]) =>
  fixture.drydock(
    'task',
    'say new',
    '--json',
    '--no-wait',
    '--model',
    await fixture.replay(lanes as typeof coding),
    ...flags,
  )
/** The newest event of this type in the newest Run. */
async function newest<Type extends 'base_verdict' | 'escalation'>(type: Type) {
  const run = (await fixture.machine.store.machines({ kind: 'run' })).at(-1)?.id ?? ''
  return (await fixture.machine.store.recentEvents({ run, types: [type], limit: 1 }))[0]
}
const question = async () => {
  const asked = await newest('escalation')
  if (asked === undefined) throw new Error('nobody is asked')
  return asked.data
}
/** The messages to the editor during CODING. */
const codingMessages = async () => {
  const lane = (await fixture.machine.store.machines({ kind: 'lane' })).find(({ data }) => data.key.endsWith('CODING'))
  return fixture.machine.store.messages(lane?.id ?? '')
}
const baseRuns = async () => {
  const base = await fixture.git('rev-parse', 'main')
  return ran.filter((commit) => commit === base).length
}

describe('a task on a red base', () => {
  test('asks a human after the first verdict that the base explains, and ends with 6', async () => {
    const done = await task()
    expect([done.exitCode, done.stderr]).toEqual([6, expect.any(String)])
    const { question: asked } = await question()
    expect(asked).toMatch(/fails: old\. All of these also fail on the base commit/)
    expect(asked).toMatch(/`continue`.*`allow`.*`stop`/)
    expect(done.events.find(({ type }) => type === 'verification')).toMatchObject({ also_on_base: 'tests' })
    expect((await fixture.drydock('status')).stdout).toContain('WAITS_FOR_YOU')
  })

  test('is done when the human allows the tests, which the receipt records', async () => {
    await task()
    const { id } = await question()
    await fixture.drydock('reply', id, 'allow')
    const done = await fixture.drydock('resume', '--json', '--no-wait')
    expect(done.exitCode, done.stdout + done.stderr).toBe(0)
    const { branch } = resultOf(done)
    const { stdout, stderr } = await fixture.drydock('receipt', 'show', String(branch))
    expect(stdout + stderr).toContain('Allowed to fail: old')
    // A landing is not held because of the base, even if the merge is verified again.
    await fixture.write({ 'other.txt': 'other\n' })
    await fixture.git('add', '-A')
    await fixture.git('commit', '-qm', 'other')
    const landed = await fixture.drydock('land', '--onto', 'main', '--json')
    expect(landed.exitCode, landed.stdout + landed.stderr).toBe(0)
    const merge = await fixture.drydock('receipt', 'show', 'main')
    expect(merge.stdout + merge.stderr).toContain('Allowed to fail: old')
  })

  test('does not take the name of a test that the base does not fail', async () => {
    await task()
    const first = await question()
    await fixture.drydock('reply', first.id, 'allow other')
    const again = await fixture.drydock('resume', '--json', '--no-wait')
    expect(again.exitCode).toBe(6)
    const next = await question()
    expect(next.id).not.toBe(first.id)
    expect(next.question).toMatch(/Nothing was done: not among the tests that fail on the base commit: other/)
  })

  test('continues with the human’s answer, and is not asked about again', async () => {
    const again = [call('write_file', { path: 'more.txt', content: 'more\n' }), change('Say more')]
    const mends = [
      call('write_file', { path: 'test/old.test.js', content: `${head}test('old', () => {})\n` }),
      change('Mend the old test', { hypothesis: 'It asserted false.' }),
    ]
    await task({ ...coding, 'editor/task/CODING': [...coding['editor/task/CODING'], ...again, ...mends] })
    const { id } = await question()
    await fixture.drydock('reply', id, 'continue: mend the old test')
    const done = await fixture.drydock('resume', '--json', '--no-wait')
    expect([0, 3], done.stdout + done.stderr).toContain(done.exitCode)
    const verdicts = done.events.filter(({ type }) => type === 'verification').map(({ status }) => status)
    expect(verdicts).toEqual(['FAIL', 'PASS'])
    const lane = (await fixture.machine.store.machines({ kind: 'lane' })).find(({ data }) =>
      data.key.endsWith('CODING'),
    )
    const said = JSON.stringify(await fixture.machine.store.messages(lane?.id ?? ''))
    expect(said).toContain(also)
    expect(said).toContain('mend the old test')
  })

  test('stops when the human says so', async () => {
    await task()
    await fixture.drydock('reply', (await question()).id, 'stop')
    const done = await fixture.drydock('resume', '--json', '--no-wait')
    expect([done.exitCode, resultOf(done).status]).toEqual([5, 'CANCELLED'])
  })

  test('is done at once with --allow-failing', async () => {
    const done = await task(coding, '--allow-failing', 'old')
    expect(done.exitCode, done.stdout + done.stderr).toBe(0)
    const { stdout, stderr } = await fixture.drydock('receipt', 'show', String(resultOf(done).branch))
    expect(stdout + stderr).toContain('Allowed to fail: old')
  })

  test('is nothing to ask about where the task names the tests', async () => {
    const testing = (line: string) => `${head}test('adds sums', () => ${line})\n`
    await open({ files: { 'package.json': files['package.json'], 'test/sum.test.js': testing('assert.ok(false)') } })
    const mended = call('write_file', { path: 'test/sum.test.js', content: testing('{}') })
    const lanes = { ...coding, 'editor/task/CODING': [...coding['editor/task/CODING'], mended, change()] }
    const done = await fixture.drydock(
      'task',
      'The test "adds sums" fails. Mend it.',
      '--json',
      '--no-wait',
      '--model',
      await fixture.replay(lanes),
    )
    expect(done.events.filter(({ type }) => type === 'escalation')).toEqual([])
    expect(done.events.filter(({ type }) => type === 'verification').map(({ status }) => status)).toEqual([
      'FAIL',
      'PASS',
    ])
  })

  test('is told before it is verified, in one run of the steps on the base commit', async () => {
    const thinking = { ...coding, 'editor/task/PLANNING': [call('run_command', { command: 'waits' }), plan()] }
    const done = await task(thinking)
    const types = done.events.map(({ type }) => type)
    const told = done.events.find(({ type }) => type === 'base_verdict')
    expect(told).toMatchObject({ status: 'FAIL', failing: ['old'], count: 1, steps: [], refused: [] })
    expect(types.indexOf('base_verdict')).toBeLessThan(types.indexOf('verification'))
    expect(await baseRuns()).toBe(1)
    // The next Run on the same tree finds the verdict, and reports it again.
    const next = await task(thinking, '--allow-failing', 'old', '--allow-failing', 'gone')
    expect(next.exitCode, next.stdout + next.stderr).toBe(0)
    expect(next.events.find(({ type }) => type === 'base_verdict')).toMatchObject({ failing: [], refused: ['gone'] })
    expect(await baseRuns()).toBe(1)
  })

  test('does not wait for the steps on it at the end, and runs them again in the next process', async () => {
    hangs = true
    const begun = [call('run_command', { command: 'begins' })]
    const ended = await task({ ...coding, 'editor/task/PLANNING': begun })
    expect([ended.exitCode, resultOf(ended).error]).toMatchObject([1, { code: 'replay_missing' }])
    expect(await baseRuns()).toBe(1)
    const looks = call('run_command', { command: 'waits' })
    await fixture.replay({ ...coding, 'editor/task/PLANNING': [...begun, looks, plan()] })
    const done = await fixture.drydock('resume', '--json', '--no-wait')
    expect([done.exitCode, done.events.filter(({ type }) => type === 'base_verdict')]).toMatchObject([
      6,
      [{ count: 1 }],
    ])
    expect(await baseRuns()).toBe(2)
  })
})

describe('a base whose red step names no tests', () => {
  beforeEach(() => open({ steps: [{ name: 'lint', command: 'lint', timeout_sec: 30 }], files: {} }))

  const lints = (words: string, lanes: object) =>
    fixture
      .replay(lanes as typeof coding)
      .then((model) => fixture.drydock('task', words, '--json', '--no-wait', '--model', model))
  const more = [
    call('write_file', { path: 'more.txt', content: 'more\n' }),
    change('More', { hypothesis: 'It was too little.' }),
    call('write_file', { path: 'more.txt', content: 'most\n' }),
    change('Most', { hypothesis: 'Still too little.' }),
  ]
  const thinking = { ...coding, 'editor/task/PLANNING': [call('run_command', { command: 'waits' }), plan()] }
  const tries = { ...thinking, 'editor/task/CODING': [...coding['editor/task/CODING'], ...more] }

  test('is asked about once, and the editor continues with the human’s answer', async () => {
    const asked = await task(tries)
    expect(asked.exitCode, asked.stdout + asked.stderr).toBe(6)
    const first = await question()
    expect(first.question).toMatch(/fails in the step lint, which also fails on the base commit.*`continue`.*`stop`/)
    expect(first.question).not.toContain('`allow`')
    await fixture.drydock('reply', first.id, 'allow lint')
    expect((await fixture.drydock('resume', '--json', '--no-wait')).exitCode).toBe(6)
    const again = await question()
    expect(again.question).toContain('nothing can be allowed')
    await fixture.drydock('reply', again.id, 'continue: look at the last line')
    const done = await fixture.drydock('resume', '--json', '--no-wait')
    expect(done.events.filter(({ type }) => type === 'escalation')).toEqual([])
    expect(done.events.filter(({ type }) => type === 'verification')).toHaveLength(2)
    expect(JSON.stringify(await codingMessages())).toContain('look at the last line')
  })

  test('is nothing to ask about where the task names the step', async () => {
    const done = await lints('Mend what lint finds.', tries)
    expect(done.events.filter(({ type }) => type === 'escalation')).toEqual([])
    expect(done.events.filter(({ type }) => type === 'verification')).toHaveLength(3)
  })

  test('is told and cannot be allowed', async () => {
    const done = await task(thinking, '--allow-failing', 'lint')
    expect(done.events.find(({ type }) => type === 'base_verdict')).toMatchObject({ failing: [], steps: ['lint'] })
    expect(done.events.find(({ type }) => type === 'verification')).toMatchObject({ also_on_base: 'step' })
    await fixture.drydock('reply', (await question()).id, 'continue')
    await fixture.drydock('resume', '--json', '--no-wait')
    const said = JSON.stringify(await codingMessages())
    expect(said).toContain('Lint also fails on the base commit')
    expect(said).toContain('lint names no failing test, so no failure of it can be allowed')
  })
})

describe('a crew on a red base', () => {
  test('asks once, and continues with its change, up to the merge', async () => {
    const b = { id: 'b', depends_on: ['a'] }
    const lanes = { ...specLanes('a', b), ...greenStory('a'), ...greenStory('b') }
    const done = await play(fixture, { lanes, human: ['allow'] })
    expect(done.exitCode, done.stdout + done.stderr).toBe(0)
    expect(statesOf(done)).toEqual({ a: 'DONE', b: 'DONE' })
    const verdicts = done.events
      .filter(({ type }) => type === 'verification')
      .map(({ story, status }) => [story, status])
    expect(verdicts.slice(0, 2)).toEqual([
      ['a', 'FAIL'],
      ['a', 'PASS'],
    ])
    expect(verdicts.slice(2).every(([, status]) => status === 'PASS')).toBe(true)
    expect(done.events.filter(({ type }) => type === 'escalation')).toHaveLength(1)
    expect(await baseRuns()).toBe(1)
  })

  test('asks once if two stories are verified at the same time; the other continues with its FAIL', async () => {
    together = 2
    const done = await play(fixture, { lanes: { ...specLanes('a', 'b'), ...greenStory('a'), ...greenStory('b') } })
    const asked = done.events.filter(({ type }) => type === 'escalation')
    expect(asked.map(({ question: words }) => String(words).includes('`continue`'))).toEqual([true])
    const verdicts = done.events.filter(({ type }) => type === 'verification')
    expect(verdicts.map(({ also_on_base }) => also_on_base)).toEqual(['tests', 'tests'])
    const failed = done.events.filter(({ type, event }) => type === 'state' && event === 'failed')
    expect(failed.map(({ story }) => story)).toEqual(
      verdicts.flatMap(({ story }) => (story === asked[0]?.story ? [] : [story])),
    )
  })

  test('verifies what a human allowed once the story has a slot, where its own was lost', async () => {
    await play(fixture, { lanes: { ...specLanes('a'), ...greenStory('a') } })
    const { store } = fixture.machine
    await store.transact(async (tx) => {
      const [story] = await tx.machines({ kind: 'story', states: ['ESCALATED'] })
      if (story === undefined) throw new Error('no story waits')
      const run = (await tx.machines({ kind: 'run' })).at(-1)
      if (run === undefined) throw new Error('there is no run')
      await tx.edit(run, { allowFailing: ['old'] })
      await tx.move(story, 'allowed', { data: { slot: null, redBase: null, escalation: null }, next: 'queue' })
    })
    const done = await fixture.drydock('resume', '--json', '--no-wait')
    expect(done.exitCode, done.stdout + done.stderr).toBe(0)
    expect(statesOf(done)).toEqual({ a: 'DONE' })
  })

  test('is not asked where its plan was built with the tests allowed', async () => {
    const { 'architect/SCOPING': scoping, 'architect/STORY_GENERATION': planning } = specLanes('a')
    const lanes = { 'architect/SCOPING': scoping, 'architect/STORY_GENERATION': planning, ...greenStory('a') } as never
    const model = await fixture.replay(lanes)
    const planned = await fixture.drydock('plan', 'Make the files', '--model', model, '--json')
    expect(planned.exitCode, planned.stderr).toBe(0)
    const done = await fixture.drydock('plan', 'build', '--allow-failing', 'old', '--json', '--no-wait')
    expect(done.exitCode, done.stdout + done.stderr).toBe(0)
    expect(done.events.filter(({ type }) => type === 'escalation')).toEqual([])
  })
})
