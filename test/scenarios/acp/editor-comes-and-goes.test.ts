import { once } from 'node:events'
import { join } from 'node:path'
import { methods } from '@agentclientprotocol/sdk'
import { afterEach, expect, onTestFinished, test } from 'vitest'
import { createCrewFixture, greenStory, specLanes } from '../world/crew.ts'
import { call, change, createFixture, type Fixture, greenLanes, plan, write } from '../world/fixture.ts'
import * as interview from '../world/interview.ts'
import { findGate, gatedLanes, launch } from '../world/process.ts'
import { createBudgetWorld, using } from '../world/wire-budget.ts'
import { endAll, type PlayedEditor, startEditor, textOf } from './editor-world.ts'

let fixture: Fixture
afterEach(() => fixture.remove())

const slot = async () => join((await fixture.open()).state, 'workspaces', 'coder-001')

/** Fulfilled with what the agent says at the end of a Run. */
const outcome = async (editor: PlayedEditor, session: string, code: string) =>
  textOf(
    await editor.until(
      session,
      (update) => update.sessionUpdate === 'agent_message_chunk' && textOf(update).includes(`**${code}.**`),
    ),
  )

/** A prompt whose editor is in the middle of a command. */
async function halfway(options: Parameters<typeof startEditor>[1] = {}) {
  fixture = await createFixture()
  const model = await fixture.replay(gatedLanes)
  const editor = await startEditor(fixture, { ...options, args: ['--model', model] })
  const { sessionId } = await editor.open(fixture.repo)
  const ended = editor.prompt(sessionId, 'Say new').catch((error: unknown) => error)
  await editor.until(sessionId, ({ sessionUpdate }) => sessionUpdate === 'plan')
  return { model, editor, sessionId, ended, gate: await findGate(await slot()) }
}

test('an agent that is killed takes nothing with it: the work goes on, and session/load tells all of it in order', async () => {
  const { model, editor, sessionId, gate } = await halfway()
  editor.child.kill('SIGKILL')
  await once(editor.child, 'close')
  await gate.open()
  const next = await startEditor(fixture, { args: ['--model', model] })
  const { sessions } = await next.agent.request(methods.agent.session.list, { cwd: fixture.repo })
  expect(sessions).toMatchObject([{ sessionId, cwd: fixture.repo, title: 'Say new' }])
  await next.agent.request(methods.agent.session.load, { sessionId, cwd: fixture.repo, mcpServers: [] })
  await outcome(next, sessionId, 'DONE')
  const told = next.updates(sessionId).filter(({ sessionUpdate }) => !/plan|usage|info/.test(sessionUpdate))
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
  expect(await fixture.git('show', 'drydock/say-new:value.txt')).toBe('new')
})

test('an editor that closes while work goes on ends its agent at once, and the work all the same', async () => {
  const { editor, sessionId, gate } = await halfway()
  expect(await editor.close()).toBe(0)
  const next = await startEditor(fixture)
  await next.agent.request(methods.agent.session.resume, { sessionId, cwd: fixture.repo, mcpServers: [] })
  expect(next.of(sessionId, 'tool_call')).toEqual([])
  await gate.open()
  await outcome(next, sessionId, 'DONE')
  await next.agent.request(methods.agent.session.close, { sessionId })
  expect((await fixture.drydock('status')).stdout).toContain('DONE')
})

test('work whose every process was killed continues when its session is opened', async () => {
  const { editor, sessionId } = await halfway()
  editor.child.kill('SIGKILL')
  await once(editor.child, 'close')
  await endAll(fixture.folder)
  const next = await startEditor(fixture)
  await next.agent.request(methods.agent.session.load, { sessionId, cwd: fixture.repo, mcpServers: [] })
  await outcome(next, sessionId, 'DONE')
  expect(await fixture.git('show', 'drydock/say-new:value.txt')).toBe('new')
})

test('session/cancel pauses the work, and the next prompt continues it with what it says', async () => {
  const { editor, sessionId, ended, gate } = await halfway()
  await editor.agent.notify(methods.agent.session.cancel, { sessionId })
  expect(await ended).toBe('cancelled')
  await gate.open()
  expect(await outcome(editor, sessionId, 'PAUSED')).toContain('To continue, send a prompt')
  expect(await editor.prompt(sessionId, 'Go on, in lower case')).toBe('end_turn')
  expect(editor.said(sessionId).at(-1)).toContain('**DONE.**')
  expect((await fixture.drydock('chat')).stdout).toContain('Go on, in lower case')
})

test('work that another process owns is given to it and shown as it changes', async () => {
  fixture = await createFixture()
  const owner = launch(['serve', '--repo', fixture.repo, '--json'], { env: fixture.env })
  await owner.line(/"type":"serving"/)
  await fixture.write({ 'notes.md': 'not committed\n' })
  const editor = await startEditor(fixture, {
    args: ['--model', await fixture.replay(greenLanes)],
    capabilities: { session: { notices: {} } },
  })
  const { sessionId } = await editor.open(fixture.repo)
  expect(await editor.prompt(sessionId, 'Say new')).toBe('end_turn')
  expect(editor.of(sessionId, 'notice')).toMatchObject([
    { severity: 'warning', title: '1 uncommitted file is no part of the work' },
  ])
  expect(editor.said(sessionId).at(-1)).toContain('**DONE.**')
  expect(await (await fixture.open()).ownerFacts()).toMatchObject({ pid: owner.pid, asked: 'all' })
})

test('a run that was started in a terminal is a session, too', async () => {
  fixture = await createFixture()
  const model = await fixture.replay(greenLanes)
  const { events } = await fixture.drydock('task', 'Say new', '--model', model, '--json')
  const run = String(events[0]?.run)
  const editor = await startEditor(fixture, { args: ['--model', model], cwd: fixture.repo })
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

test('an interview of a terminal goes on in an editor, with the suggested answers to choose from', async () => {
  fixture = await createCrewFixture()
  const { ask, lane, question, spec } = interview
  const turns = [ask(question('Which value?'), question('Which case?')), spec()]
  const model = await fixture.replay({ [lane]: turns })
  const { events } = await fixture.drydock('spec', 'say new', '--model', model, '--json', '--no-ui')
  const run = String(events.find((event) => event.run !== undefined)?.run)
  const editor = await startEditor(fixture, { permit: () => '2' })
  await editor.agent.request(methods.agent.session.load, { sessionId: run, cwd: fixture.repo, mcpServers: [] })
  expect(editor.said(run).join()).toMatch(/Which value\?[\s\S]*Which case\?/)
  expect(await editor.prompt(run, 'The new one')).toBe('end_turn')
  expect(editor.permissions.map(({ options }) => options.map(({ name }) => name))).toEqual([
    ['Which case? One way.', 'Which case? Another way.', 'Answer in words'],
  ])
  expect(editor.said(run).at(-1)).toMatch(/# Say new[\s\S]*The spec is written/)
})

test('a run that has reached its budget goes on with the next prompt once a larger one is chosen', async () => {
  const world = await createBudgetWorld(using(greenLanes, { input: 20_000, output: 1_000 }))
  fixture = world.fixture
  onTestFinished(() => world.server.close())
  const editor = await startEditor(fixture, { args: ['--model', world.model, '--budget-usd', '0.05'] })
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

test('a question that is answered elsewhere is withdrawn, whether or not its editor ever answers', async () => {
  fixture = await createCrewFixture()
  const asked = Promise.withResolvers<void>()
  const withdrawn = Promise.withResolvers<void>()
  const editor = await startEditor(fixture, {
    args: ['--model', await fixture.replay({ ...specLanes('one'), ...greenStory('one') })],
    permit: (_, signal) => {
      asked.resolve()
      signal.addEventListener('abort', () => withdrawn.resolve())
      return new Promise(() => {})
    },
  })
  const { sessionId } = await editor.open(fixture.repo)
  await editor.agent.request(methods.agent.session.setMode, { sessionId, modeId: 'run' })
  const ended = editor.prompt(sessionId, 'Make the files')
  await asked.promise
  const { events } = await fixture.drydock('chat', '--json')
  const question = events.find(({ open }) => open === true)
  await fixture.drydock('reply', String(question?.id), 'approve')
  await withdrawn.promise
  expect(await ended).toBe('end_turn')
  expect(editor.said(sessionId).at(-1)).toContain('one: DONE')
})

test('a task that got stuck is tried again with the next prompt as advice', async () => {
  fixture = await createFixture({ config: { editor: { coding_iterations: 2 } } })
  const look = call('list_files', { pattern: '*' })
  const editor = await startEditor(fixture, {
    args: [
      '--model',
      await fixture.replay({
        'editor/task/PLANNING': [plan()],
        'editor/task/CODING': [look, look, look],
        'editor/task@2/PLANNING': [plan()],
        'editor/task@2/CODING': [write('new\n'), change()],
      }),
    ],
  })
  const { sessionId } = await editor.open(fixture.repo)
  expect(await editor.prompt(sessionId, 'Say new')).toBe('end_turn')
  expect(editor.said(sessionId).at(-1)).toMatch(/\*\*STUCK\.\*\*[\s\S]*send a prompt with advice/)
  expect(await editor.prompt(sessionId, 'Just write it')).toBe('end_turn')
  expect(editor.said(sessionId).at(-1)).toContain('**DONE.**')
})

test('several sessions in several repositories go side by side in one process', async () => {
  fixture = await createFixture()
  const other = await createFixture()
  try {
    const editor = await startEditor(fixture, { args: ['--model', await fixture.replay(greenLanes)] })
    const [one, two] = [await editor.open(fixture.repo), await editor.open(other.repo)]
    const ended = [editor.prompt(one.sessionId, 'Say new'), editor.prompt(two.sessionId, 'Say new there')]
    expect(await Promise.all(ended)).toEqual(['end_turn', 'end_turn'])
    expect(await fixture.git('show', 'drydock/say-new:value.txt')).toBe('new')
    expect(await other.git('show', 'drydock/say-new-there:value.txt')).toBe('new')
  } finally {
    await other.remove()
  }
})
