import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { createMemoryClock } from '../world/clock.ts'
import { createMemoryFixture, type MemoryFixture } from '../world/fixture.ts'
import { memoryNode } from '../world/node.ts'
import type { Program } from '../world/sandbox.ts'
import { call, change, plan, resultOf, write } from './world/fixture.ts'

const head = `import test from 'node:test'\nimport assert from 'node:assert'\n`
const old = `${head}test('old', () => assert.ok(false))\n`
const command = 'node --test --test-reporter=spec'
const steps = [{ name: 'test', command, timeout_sec: 30 }]
const files = { 'package.json': '{ "type": "module" }\n', 'test/old.test.js': old }
const also = 'also fail on the base commit'

let fixture: MemoryFixture
/** The commits that the steps ran on, in a checkout of the gate. */
let ran: string[]

async function fixtureWith(more: Readonly<Record<string, string>> = {}): Promise<void> {
  const clock = createMemoryClock()
  ran = []
  const node: Program = (seen, args) => {
    if (seen.commit !== null) ran.push(seen.commit)
    return memoryNode(seen, args)
  }
  /** A model that thinks for a while: until the base has its verdict. */
  const waits: Program = async () => {
    await clock.advance(5_000)
    const told = () => fixture.machine.store.recentEvents({ types: ['base_verdict'], limit: 1 })
    for (let tries = 0; tries < 20_000 && (await told()).length === 0; tries += 1) await new Promise(setImmediate)
    return 0
  }
  const programs = { node, waits }
  fixture = await createMemoryFixture({ steps, files: { ...files, ...more }, programs, clock })
}

beforeEach(async () => {
  await fixtureWith()
  onTestFinished(() => fixture.remove())
})

const coding = { 'editor/task/PLANNING': [plan()], 'editor/task/CODING': [write('new\n'), change()] }
const task = async (lanes: object = coding, ...flags: readonly string[]) =>
  fixture.drydock(
    ...['task', 'say new', '--json', '--no-wait'],
    ...['--model', await fixture.replay(lanes as typeof coding), ...flags],
  )
const question = async () => {
  const [asked] = await fixture.machine.store.recentEvents({ types: ['escalation'], limit: 1 })
  if (asked === undefined) throw new Error('nobody is asked')
  return asked.data
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
    expect((await fixture.drydock('status')).stdout).toContain('ESCALATED')
  })

  test('is done when the human allows the tests, which the receipt records', async () => {
    await task()
    const { id } = await question()
    await fixture.drydock('reply', id, 'allow')
    const done = await fixture.drydock('resume', '--json', '--no-wait')
    expect(done.exitCode, done.stdout + done.stderr).toBe(0)
    const { branch } = resultOf(done)
    const { stdout } = await fixture.drydock('receipt', String(branch))
    expect(stdout).toContain('Allowed to fail: old')
    // It landed as any other does.
    expect((await fixture.drydock('land', '--onto', 'main', '--json')).exitCode).toBe(0)
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

  test('goes on with what the human says, and is not asked about again', async () => {
    const mends = [call('write_file', { path: 'test/old.test.js', content: `${head}test('old', () => {})\n` }), change()]
    await task({ ...coding, 'editor/task/CODING': [...coding['editor/task/CODING'], change(), ...mends] })
    const { id } = await question()
    await fixture.drydock('reply', id, 'continue: mend the old test')
    const done = await fixture.drydock('resume', '--json', '--no-wait')
    expect([0, 3]).toContain(done.exitCode)
    const verdicts = done.events.filter(({ type }) => type === 'verification').map(({ status }) => status)
    expect(verdicts).toEqual(['FAIL', 'PASS'])
    const lane = (await fixture.machine.store.machines({ kind: 'lane' })).find(({ data }) => data.key.endsWith('CODING'))
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
    expect((await fixture.drydock('receipt', String(resultOf(done).branch))).stdout).toContain('Allowed to fail: old')
  })

  test('is told before it is verified, in one run of the steps on the base commit', async () => {
    const thinking = { ...coding, 'editor/task/PLANNING': [call('run_command', { command: 'waits' }), plan()] }
    const done = await task(thinking)
    const types = done.events.map(({ type }) => type)
    const told = done.events.find(({ type }) => type === 'base_verdict')
    expect(told).toMatchObject({ status: 'FAIL', failing: ['old'], count: 1, steps: [], refused: [] })
    expect(types.indexOf('base_verdict')).toBeLessThan(types.indexOf('verification'))
    expect(await baseRuns()).toBe(1)
    // The next Run on the same tree finds it, and says it again.
    const next = await task(thinking, '--allow-failing', 'old', '--allow-failing', 'gone')
    expect(next.exitCode, next.stdout + next.stderr).toBe(0)
    expect(next.events.find(({ type }) => type === 'base_verdict')).toMatchObject({ failing: [], refused: ['gone'] })
    expect(await baseRuns()).toBe(1)
  })
})
