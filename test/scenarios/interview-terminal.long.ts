import { readFile } from 'node:fs/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { conversationOf } from './world/conversation.ts'
import { createCrewFixture } from './world/crew.ts'
import type { Fixture } from './world/fixture.ts'
import { ask, lane, openQuestions, question, spec, specFile, text } from './world/interview.ts'
import { launch, launchInTerminal } from './world/process.ts'

let fixture: Fixture
let model: string
beforeEach(async () => {
  fixture = await createCrewFixture()
  model = await fixture.replay({
    [lane]: [ask(question('Which value?'), question('Which case?')), ask(question('Which file?')), spec()],
  })
})
afterEach(() => fixture.remove())

const start = () => ['spec', 'say new', '-o', specFile(fixture), '--model', model, '--no-ui', '--repo', fixture.repo]
const goOn = () => ['spec', '--continue', '--repo', fixture.repo]
const ctrl = { c: '\u0003', d: '\u0004' }

/** The only Run. */
async function runId(): Promise<string> {
  const [line] = (await fixture.drydock('status', '--json')).events
  return String(line?.run)
}

const answersIn = async () => {
  const run = { exitCode: 0, stdout: '', stderr: '', events: [{ type: 'run', run: await runId() }] }
  return (await conversationOf(fixture, run).results(lane)).map(({ output }) => output)
}

test('an answer that was given before a kill -9 is not asked for again', async () => {
  const terminal = launchInTerminal(start(), { env: fixture.env })
  await terminal.line(/^Which value\?/)
  terminal.type('1\r')
  await terminal.line(/^Which case\?/)
  await expect.poll(async () => (await openQuestions(fixture, await runId())).length).toBe(1)
  process.kill(await ownerPid(), 'SIGKILL')
  await terminal.ended

  const again = launchInTerminal(goOn(), { env: fixture.env })
  await again.line(/^Which case\?/)
  again.type('lower case\r')
  await again.line(/^Which file\?/)
  again.type('\r')
  const { exitCode, stdout } = await again.ended
  expect(exitCode, stdout).toBe(0)
  expect(stdout).not.toMatch(/^Which value\?/m)
  expect(await readFile(specFile(fixture), 'utf8')).toBe(text)
  expect((await answersIn())[0]).toContain('1. Which value? One way.\n2. lower case')
})

test('a question that is answered elsewhere is taken back, Ctrl-D leaves the rest open, and Ctrl-C pauses', async () => {
  const terminal = launchInTerminal(start(), { env: fixture.env })
  await terminal.line(/^Which value\?/)
  const [first = '', second = ''] = await openQuestions(fixture, await runId())
  const elsewhere = launch(['reply', first, '2', '--repo', fixture.repo], { env: fixture.env })
  expect((await elsewhere.ended).exitCode).toBe(0)
  await terminal.line(/This question is no longer open/)
  await terminal.line(/^Which case\?/)
  terminal.type(ctrl.d)
  await terminal.line(/this command waits.* press Ctrl-C and continue later with `drydock spec --continue`/)
  await terminal.line(new RegExp(`drydock reply ${second}`))
  process.kill(await ownerPid(), 'SIGINT')
  const left = await terminal.ended
  expect(left.exitCode).toBe(130)
  expect(left.stdout).not.toContain(`drydock reply ${first}`)

  const again = launchInTerminal(goOn(), { env: fixture.env })
  await again.line(/^Which case\?/)
  again.type(ctrl.c)
  const { exitCode, stdout } = await again.ended
  expect([exitCode, stdout]).toEqual([130, expect.stringContaining('Stopping: paused')])
  expect((await fixture.drydock('status')).stdout).toContain('PAUSED')
})

/** The process that works on the Run. */
async function ownerPid(): Promise<number> {
  const facts = await (await fixture.open()).ownerFacts()
  if (facts === null) throw new Error('nobody works on the Run')
  return facts.pid
}
