import { afterAll, beforeAll, expect, test } from 'vitest'
import { mcpStatus } from '../../src/app/views/mcp-status.ts'
import { createFixture, type Fixture } from '../world/fixture.ts'
import { approve } from './world/crew.ts'
import { type CommandResult, change, plan, resultOf, type Turns, write } from './world/fixture.ts'

let fixture: Fixture
beforeAll(async () => {
  fixture = await createFixture()
})
afterAll(() => fixture.remove())

const coding = { 'editor/task/CODING': [write('new\n'), change()] }

async function asked(lanes: Readonly<Record<string, Turns>>, ...more: readonly string[]): Promise<CommandResult> {
  const model = await fixture.replay({ ...coding, ...lanes })
  return fixture.drydock('task', 'say new', '--review-plan', '--json', '--no-wait', '--model', model, ...more)
}

const runOf = ({ events }: CommandResult) => String(events[0]?.run)
const states = ({ events }: CommandResult) =>
  events.filter(({ type, story }) => type === 'state' && story === 'task').map(({ to }) => to)

async function reply(result: CommandResult, text: string): Promise<CommandResult> {
  const { id } = result.events.findLast(({ type }) => type === 'escalation') as unknown as { id: string }
  const said = await fixture.drydock('reply', id, text)
  expect(said.exitCode, said.stderr).toBe(0)
  return fixture.drydock('resume', runOf(result), '--json', '--no-wait')
}

test('a plan is shown before any file changes, changed as a person says, and built once it is approved', async () => {
  const first = await asked({ 'editor/task/PLANNING': [plan(), plan({ slices: ['the second plan'] })] })
  expect(first.exitCode, first.stderr).toBe(6)
  expect(states(first)).toEqual(['SETUP', 'PLANNING', 'ESCALATED'])
  expect((await fixture.drydock('chat', runOf(first))).stdout).toContain('Shall this plan be built?')
  // An MCP client that has stopped waiting sees the question in `status`.
  const question = expect.stringContaining('Shall this plan be built?')
  expect(await mcpStatus(await fixture.open(), runOf(first))).toMatchObject({ run: { questions: [{ question }] } })
  const second = await reply(first, 'Split it differently.')
  expect(second.exitCode).toBe(6)
  expect(second.events.findLast(({ type }) => type === 'escalation')?.evidence).toContain('the second plan')
  const done = await reply(second, 'approve')
  expect(done.exitCode, done.stderr).toBe(0)
  expect(states(done).slice(-3)).toEqual(['CODING', 'VERIFYING', 'DONE'])
  expect(await fixture.git('show', `${resultOf(done).branch}:value.txt`)).toBe('new')
})

test('the editor follows a remark that accompanies an approval', async () => {
  const first = await asked({ 'editor/task/PLANNING': [plan()] })
  const done = await reply(first, 'Approve, but leave the README alone.')
  expect(done.exitCode, done.stderr).toBe(0)
  const records = (await fixture.open()).openRecords()
  const [prompt] = await records.messages(`${runOf(first)}/editor/task/CODING`)
  await records.close()
  expect(JSON.stringify(prompt)).toContain('but leave the README alone.')
})

test('a person stops what is not to be built', async () => {
  const stopped = await reply(await asked({ 'editor/task/PLANNING': [plan()] }), 'stop')
  expect(resultOf(stopped)).toMatchObject({ status: 'CANCELLED', branch: null })
})

test('an architect reviews the change of a plan that a person has approved', async () => {
  const lanes = { 'editor/task/PLANNING': [plan()], 'architect/REQUEST/code/task/1': [approve()] }
  const first = await asked(lanes, '--review')
  const done = await reply(first, 'ok')
  expect(done.exitCode, done.stderr).toBe(0)
  expect(done.events.filter(({ type }) => type === 'review').map(({ kind }) => kind)).toEqual(['code'])
})
