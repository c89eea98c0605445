import { methods } from '@agentclientprotocol/sdk'
import { expect, onTestFinished, test } from 'vitest'
import { createWorkers, type EditorOptions, startMemoryEditor } from '../../world/editor.ts'
import { createMemoryFixture, type MemoryFixture } from '../../world/fixture.ts'
import { alwaysGreen } from '../world/crew.ts'
import { call, change, greenLanes, plan, write } from '../world/fixture.ts'
import * as interview from '../world/interview.ts'
import { gatedLanes } from '../world/process.ts'
import { using, withBudget } from '../world/wire-budget.ts'
import { type PlayedEditor, textOf } from './editor-world.ts'

async function fixtureOf(options: Parameters<typeof createMemoryFixture>[0] = {}): Promise<MemoryFixture> {
  const fixture = await createMemoryFixture(options)
  onTestFinished(() => fixture.remove())
  return fixture
}

const crewFixture = () => fixtureOf({ steps: [alwaysGreen] })

/** Resolves with the agent's text at the end of a Run. */
const outcome = async (editor: PlayedEditor, session: string, code: string) =>
  textOf(
    await editor.until(
      session,
      (update) => update.sessionUpdate === 'agent_message_chunk' && textOf(update).includes(`**${code}.**`),
    ),
  )

/** A prompt whose editor is in the middle of a command. */
async function halfway(options: EditorOptions = {}) {
  const fixture = await fixtureOf()
  const model = await fixture.replay(gatedLanes)
  const workers = createWorkers(fixture)
  const given = { workers, options: { model } }
  const editor = await startMemoryEditor(fixture, { ...options, ...given })
  const { sessionId } = await editor.open(fixture.repo)
  const ended = editor.prompt(sessionId, 'Say new').catch((error: unknown) => error)
  await editor.until(sessionId, ({ sessionUpdate }) => sessionUpdate === 'plan')
  const { open } = await fixture.gate()
  return { fixture, model, workers, given, editor, sessionId, ended, open }
}

test('an editor that closes during the work ends its agent at once, and session/load repeats all of the work in order', async () => {
  const { fixture, given, editor, sessionId, open } = await halfway()
  expect(await editor.close()).toBe(0)
  const next = await startMemoryEditor(fixture, given)
  await next.agent.request(methods.agent.session.resume, { sessionId, cwd: fixture.repo, mcpServers: [] })
  expect(next.of(sessionId, 'tool_call')).toEqual([])
  await open()
  await outcome(next, sessionId, 'DONE')
  await next.agent.request(methods.agent.session.close, { sessionId })
  expect((await fixture.drydock('status')).stdout).toContain('DONE')

  const third = await startMemoryEditor(fixture, given)
  const { sessions } = await third.agent.request(methods.agent.session.list, { cwd: fixture.repo })
  expect(sessions).toMatchObject([{ sessionId, cwd: fixture.repo, title: 'Say new' }])
  await third.agent.request(methods.agent.session.load, { sessionId, cwd: fixture.repo, mcpServers: [] })
  const told = third.updates(sessionId).filter(({ sessionUpdate }) => !/plan|usage|info/.test(sessionUpdate))
  expect(told.map((update) => ('title' in update && update.title ? update.title : update.sessionUpdate))).toEqual([
    'user_message_chunk',
    'submit_plan',
    expect.stringContaining('run_command'),
    'write_file value.txt',
    'Verify the change',
    'tool_call_update',
    'submit_change',
    'agent_message_chunk',
  ])
  expect(textOf(told[0] ?? { sessionUpdate: 'plan', entries: [] }).trim()).toBe('Say new')
})

test('work whose process was killed continues when its session is opened', async () => {
  const { fixture, given, workers, editor, sessionId, open } = await halfway()
  await editor.close()
  workers.kill()
  await open()
  const next = await startMemoryEditor(fixture, given)
  await next.agent.request(methods.agent.session.load, { sessionId, cwd: fixture.repo, mcpServers: [] })
  await outcome(next, sessionId, 'DONE')
  expect(await fixture.git('show', 'drydock/say-new:value.txt')).toBe('new')
})

test('session/cancel pauses the work, and the next prompt continues it with what it says', async () => {
  const { fixture, editor, sessionId, ended, open } = await halfway()
  await editor.agent.notify(methods.agent.session.cancel, { sessionId })
  expect(await ended).toBe('cancelled')
  await open()
  expect(await outcome(editor, sessionId, 'PAUSED')).toContain('To continue, send a prompt')
  expect(await editor.prompt(sessionId, 'Go on, in lower case')).toBe('end_turn')
  expect(editor.said(sessionId).at(-1)).toContain('**DONE.**')
  expect((await fixture.drydock('chat')).stdout).toContain('Go on, in lower case')
})

test('a second prompt of a session is refused while the first is running, and the first continues', async () => {
  const { editor, sessionId, ended, open } = await halfway()
  await expect(editor.prompt(sessionId, 'And more')).rejects.toMatchObject({
    code: -32_602,
    message: expect.stringContaining('in progress'),
  })
  await open()
  expect(await ended).toBe('end_turn')
})

test('uncommitted files are reported as not part of the work', async () => {
  const fixture = await fixtureOf()
  await fixture.write({ 'notes.md': 'not committed\n' })
  const editor = await startMemoryEditor(fixture, {
    options: { model: await fixture.replay(greenLanes) },
    capabilities: { session: { notices: {} } },
  })
  const { sessionId } = await editor.open(fixture.repo)
  expect(await editor.prompt(sessionId, 'Say new')).toBe('end_turn')
  expect(editor.of(sessionId, 'notice')).toMatchObject([
    { severity: 'warning', title: '1 uncommitted file is no part of the work' },
  ])
  expect(editor.said(sessionId).at(-1)).toContain('**DONE.**')
})

test('a run that was started in a terminal is a session, too', async () => {
  const fixture = await fixtureOf()
  const model = await fixture.replay(greenLanes)
  const { events } = await fixture.drydock('task', 'Say new', '--model', model, '--json')
  const run = String(events[0]?.run)
  const editor = await startMemoryEditor(fixture, { options: { model } })
  const { sessions } = await editor.agent.request(methods.agent.session.list, {})
  expect(sessions).toMatchObject([{ sessionId: run, title: 'Say new' }])
  await editor.agent.request(methods.agent.session.load, { sessionId: run, cwd: fixture.repo, mcpServers: [] })
  expect(editor.said(run).at(-1)).toContain('**DONE.**')
  await editor.agent.request(methods.agent.session.delete, { sessionId: run })
  expect((await editor.agent.request(methods.agent.session.list, {})).sessions).toEqual([])
  await expect(
    editor.agent.request(methods.agent.session.load, { sessionId: run, cwd: fixture.repo, mcpServers: [] }),
  ).rejects.toMatchObject({ code: -32_002 })
  expect((await fixture.drydock('status', '--json')).stdout).toContain(run)
})

test('an interview of a terminal continues in an editor, with the suggested answers to choose from', async () => {
  const fixture = await crewFixture()
  const { ask, lane, question, spec } = interview
  const turns = [ask(question('Which value?'), question('Which case?')), spec()]
  const model = await fixture.replay({ [lane]: turns })
  const { events } = await fixture.drydock('spec', 'say new', '--model', model, '--json', '--no-ui')
  const run = String(events.find((event) => event.run !== undefined)?.run)
  const editor = await startMemoryEditor(fixture, { permit: () => '2' })
  await editor.agent.request(methods.agent.session.load, { sessionId: run, cwd: fixture.repo, mcpServers: [] })
  expect(editor.said(run).join()).toMatch(/Which value\?[\s\S]*Which case\?/)
  expect(await editor.prompt(run, 'The new one')).toBe('end_turn')
  expect(editor.permissions.map(({ options }) => options.map(({ name }) => name))).toEqual([
    ['Which case? One way.', 'Which case? Another way.', 'Answer in words'],
  ])
  expect(editor.said(run).at(-1)).toMatch(/# Say new[\s\S]*The spec is written/)
})

test('a run that has reached its budget continues with the next prompt once a larger one is chosen', async () => {
  const fixture = await fixtureOf()
  const world = await withBudget(fixture, using(greenLanes, { input: 20_000, output: 1_000 }), {})
  onTestFinished(() => world.server.close())
  const editor = await startMemoryEditor(fixture, { options: { model: world.model, budgetUsd: 0.05 } })
  const { sessionId } = await editor.open(fixture.repo)
  expect(await editor.prompt(sessionId, 'Say new')).toBe('end_turn')
  expect(editor.said(sessionId).at(-1)).toMatch(
    /\*\*BUDGET_REACHED\.\*\*[\s\S]*drydock budget say-new-\w+ --raise 0\.\d/,
  )
  expect(editor.of(sessionId, 'usage_update').at(-1)).toMatchObject({ used: 42_000, cost: { amount: 0.042 } })
  await editor.agent.request(methods.agent.session.setConfigOption, { sessionId, configId: 'budget', value: '1' })
  expect(await editor.prompt(sessionId, 'Go on')).toBe('end_turn')
  expect(editor.said(sessionId).at(-1)).toContain('**DONE.**')
})

test('a task that got stuck is tried again with the next prompt as advice', async () => {
  const fixture = await fixtureOf({ config: { editor: { coding_iterations: 2 } } })
  const look = call('list_files', { pattern: '*' })
  const model = await fixture.replay({
    'editor/task/PLANNING': [plan()],
    'editor/task/CODING': [look, look, look],
    'editor/task@2/PLANNING': [plan()],
    'editor/task@2/CODING': [write('new\n'), change()],
  })
  const editor = await startMemoryEditor(fixture, { options: { model } })
  const { sessionId } = await editor.open(fixture.repo)
  expect(await editor.prompt(sessionId, 'Say new')).toBe('end_turn')
  expect(editor.said(sessionId).at(-1)).toMatch(/\*\*STUCK\.\*\*[\s\S]*send a prompt with advice/)
  expect(await editor.prompt(sessionId, 'Just write it')).toBe('end_turn')
  expect(editor.said(sessionId).at(-1)).toContain('**DONE.**')
})

test('several sessions in several repositories go side by side in one process', async () => {
  const [fixture, other] = [await fixtureOf(), await fixtureOf()]
  await other.replay(greenLanes)
  const options = { model: await fixture.replay(greenLanes) }
  const editor = await startMemoryEditor(fixture, { others: [other], options })
  const [one, two] = [await editor.open(fixture.repo), await editor.open(other.repo)]
  const ended = [editor.prompt(one.sessionId, 'Say new'), editor.prompt(two.sessionId, 'Say new there')]
  expect(await Promise.all(ended)).toEqual(['end_turn', 'end_turn'])
  expect(await fixture.git('show', 'drydock/say-new:value.txt')).toBe('new')
  expect(await other.git('show', 'drydock/say-new-there:value.txt')).toBe('new')
})
