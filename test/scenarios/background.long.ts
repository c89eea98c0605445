import { randomInt } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { ToolResult } from '../../src/domain/lane/message.ts'
import { limits } from '../../src/domain/limits.ts'
import { conversationOf } from './world/conversation.ts'
import { call, change, createFixture, type Fixture, plan } from './world/fixture.ts'
import { findGate, gatedLanes, launch } from './world/process.ts'

type Calls = Readonly<Record<string, { readonly calls: readonly { readonly tool: string; readonly input: object }[] }>>

const sh = (command: string, more: object = {}) => call('run_command', { command, ...more }) as Calls[string]
const start = (command: string, more: object = {}) => sh(command, { background: true, ...more })
const check = (index: number, more: object = {}) =>
  call('check_command', { name: `command-1-${index}`, ...more }) as Calls[string]
const alive = sh("cat /proc/[0-9]*/cmdline | tr '\\0' ' '")

const coding = {
  server: start('mkfifo /tmp/in; echo ready; cat /tmp/in; echo served'),
  asks: sh('until [ -p /tmp/in ]; do sleep 0.1; done; echo hello > /tmp/in', { timeout_sec: 120 }),
  served: check(1, { wait_sec: 60 }),
  forgotten: check(1),
  work: start('sleep 4321 & echo begun; exec sleep 4322'),
  leaves: sh('(setsid sleep 4323 >/dev/null 2>&1 &); sleep 4324 & sleep 0'),
  tooLong: sh('sleep 4325', { timeout_sec: 1 }),
  beside: alive,
  goesOn: check(5),
  nothingNew: check(5),
  stopped: check(5, { stop: true }),
  afterwards: alive,
  fails: start('cd docs; pwd; exit 3', { cwd: 'docs/..' }),
  failed: check(13, { wait_sec: 60 }),
  floods: start('seq 1 1000000'),
  flooded: check(15, { wait_sec: 60 }),
  first: start('sleep 4331'),
  second: start('sleep 4332'),
  third: start('sleep 4333'),
  fourth: start('sleep 4334'),
  fifth: start('sleep 4335'),
  elsewhere: start('true', { cwd: '..' }),
  unknown: call('check_command', { name: 'no-such-command' }) as Calls[string],
  tooPatient: check(17, { wait_sec: limits.commandWaitSec + 1 }),
  diff: call('get_diff', {}) as Calls[string],
  gone: check(17),
  none: alive,
  written: sh('echo changed > docs/a.md'),
} satisfies Calls

let fixture: Fixture
let coded: Readonly<Record<keyof typeof coding, ToolResult>>
beforeAll(async () => {
  fixture = await createFixture({ steps: [{ name: 'test', command: 'true' }], files: { 'docs/a.md': '# A\n' } })
  const model = await fixture.replay({
    'editor/task/PLANNING': [plan()],
    'editor/task/CODING': [{ calls: Object.values(coding).flatMap(({ calls }) => calls) }, change()],
  })
  const done = await fixture.drydock('task', 'run beside', '--json', '--model', model)
  expect(done.exitCode, done.stderr).toBe(0)
  const results = await conversationOf(fixture, done).results('editor/task/CODING')
  coded = Object.fromEntries(Object.keys(coding).map((name, i) => [name, results[i]])) as Readonly<
    Record<keyof typeof coding, ToolResult>
  >
})
afterAll(() => fixture.remove())

const refusal = (words: string) => ({ ok: false, output: expect.stringContaining(words) })

describe('a command in the background', () => {
  test('continues beside other commands, which can reach it, and reports its output', () => {
    expect(coded.server).toMatchObject({
      ok: true,
      output: expect.stringContaining('Started in the background as command-1-1.'),
    })
    expect(coded.asks).toMatchObject({ ok: true })
    expect(coded.served).toMatchObject({ ok: true, output: 'ready\nhello\nserved\n(ended with exit code 0)' })
    expect(coded.forgotten).toMatchObject(refusal('No command command-1-1 is running'))
  })

  test('outlives what a command beside it leaves behind', () => {
    expect(coded.tooLong.output).toContain('timed out after 1 s')
    expect(coded.beside.output).toMatch(/sleep 4321.*sleep 4322|sleep 4322.*sleep 4321/)
    expect(coded.beside.output).not.toMatch(/432[345]/)
  })

  test('is looked at again and again, and stopped with all that it started', () => {
    expect(coded.goesOn).toMatchObject({
      ok: true,
      output: expect.stringMatching(/^begun\n\(still running after \d+ s;/),
    })
    expect(coded.nothingNew).toMatchObject({ ok: true, output: expect.stringMatching(/^\(still running after \d+ s;/) })
    expect(coded.stopped).toMatchObject({ ok: true, output: '(stopped)' })
    expect(coded.afterwards.output).not.toMatch(/432\d/)
  })

  test('tells how it ended', () => {
    expect(coded.failed).toMatchObject({
      ok: false,
      output: expect.stringMatching(/\/docs\n\(ended with exit code 3\)$/),
    })
  })

  test('keeps the end of what it printed', () => {
    expect(coded.flooded.output).toMatch(/^\[\d+ earlier bytes are not kept\]\n/)
    expect(coded.flooded.output).toContain('\n1000000\n(ended with exit code 0)')
    expect(coded.flooded.output).toContain('read them with read_file output:1-16, offset ')
  })

  test('is one of a few, in a folder of the repository', () => {
    expect(coded.fourth).toMatchObject({ ok: true })
    expect(coded.fifth).toMatchObject(refusal(`${limits.backgroundCommands} commands run in the background already`))
    expect(coded.elsewhere).toMatchObject(refusal('cwd ..: '))
    expect(coded.unknown).toMatchObject(refusal('No command no-such-command is running'))
    expect(coded.tooPatient).toMatchObject(refusal('wait_sec'))
  })

  test('ends with its sandbox, and its model is told so', () => {
    expect(coded.gone).toMatchObject(refusal('It ends with your work here, when you call get_diff'))
    expect(coded.none.output).not.toMatch(/433\d/)
  })
})

describe('a command in the background ends', () => {
  let other: Fixture
  let seconds: string
  beforeEach(async () => {
    other = await createFixture()
    seconds = `${randomInt(1_000_000_000, 2_000_000_000)}`
  })
  afterEach(() => other.remove())

  const begun = () => start(`exec sleep ${seconds}`)
  const { 'editor/task/CODING': gated = [] } = gatedLanes

  /** Number of processes on this machine that run the command. */
  async function count(): Promise<number> {
    const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
    const lines = pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''))
    return (await Promise.all(lines)).filter((line) => line === `sleep\0${seconds}\0`).length
  }

  /** A Run whose coder waits at the gate. */
  async function startGated(lanes: Parameters<Fixture['replay']>[0]) {
    const model = await other.replay(lanes)
    const running = launch(['task', 'say new', '--repo', other.repo, '--json', '--no-ui', '--model', model], {
      env: other.env,
    })
    const run = JSON.parse(await running.line(/"type":"run"/)).run as string
    const { workTrees } = await other.open()
    return { ...running, run, gate: await findGate(workTrees.path('coder-001')) }
  }

  const lanes = () =>
    ({ ...gatedLanes, 'editor/task/CODING': [begun(), ...gated.slice(0, 1), check(1), ...gated.slice(1)] }) as never

  test('with the lane that started it', async () => {
    const planning = { ...gatedLanes, 'editor/task/PLANNING': [begun(), plan()] } as never
    const { gate, ended } = await startGated(planning)
    await expect.poll(count).toBe(0)
    await gate.open()
    expect((await ended).exitCode).toBe(0)
  })

  test('at a pause', async () => {
    const { gate, line, ended } = await startGated(lanes())
    await expect.poll(count).toBe(1)
    await other.drydock('pause')
    await gate.open()
    await line(/"type":"run_state".*"to":"PAUSED","by":"user"/)
    await expect.poll(count).toBe(0)
    const resumed = await other.drydock('resume', '--json')
    expect(resumed.exitCode, resumed.stderr).toBe(0)
    expect((await ended).exitCode).toBe(0)
    const results = await conversationOf(other, resumed).results('editor/task/CODING')
    expect(results[2]).toMatchObject(refusal('No command command-1-1 is running: it has ended'))
  })

  test('with a process that is killed, and its model is told', async () => {
    const { child, ended } = await startGated(lanes())
    await expect.poll(count).toBe(1)
    child.kill('SIGKILL')
    await ended
    await expect.poll(count).toBe(0)
    const resumed = await other.drydock('resume', '--json')
    expect(resumed.exitCode, resumed.stderr).toBe(0)
    const results = await conversationOf(other, resumed).results('editor/task/CODING')
    expect(results[1]).toMatchObject(refusal('Commands in the background have ended.'))
    expect(results[2]).toMatchObject(refusal('No command command-1-1 is running: it has ended'))
  })
})
