import { once } from 'node:events'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { methods } from '@agentclientprotocol/sdk'
import { afterEach, expect, test } from 'vitest'
import { createFixture, type Fixture, greenLanes } from '../world/fixture.ts'
import { findGate, gatedLanes, launch, launchInTerminal } from '../world/process.ts'
import { endAll, type PlayedEditor, startEditor, textOf } from './editor-world.ts'

let fixture: Fixture
afterEach(() => fixture.remove())

const slot = async () => join((await fixture.open()).state, 'workspaces', 'coder-001')

/** Resolves with the agent's text at the end of a Run. */
const outcome = async (editor: PlayedEditor, session: string, code: string) =>
  textOf(
    await editor.until(
      session,
      (update) => update.sessionUpdate === 'agent_message_chunk' && textOf(update).includes(`**${code}.**`),
    ),
  )

/** A prompt whose editor is in the middle of a command. */
async function halfway() {
  fixture = await createFixture()
  const model = await fixture.replay(gatedLanes)
  const editor = await startEditor(fixture, { args: ['--model', model] })
  const { sessionId } = await editor.open(fixture.repo)
  const ended = editor.prompt(sessionId, 'Say new').catch((error: unknown) => error)
  await editor.until(sessionId, ({ sessionUpdate }) => sessionUpdate === 'plan')
  return { model, editor, sessionId, ended, gate: await findGate(await slot()) }
}

test('an editor that closes during the work ends its agent at once, and the work still finishes', async () => {
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

test('work whose process cannot start ends its turn with where to look, and is there afterwards', async () => {
  fixture = await createFixture()
  const model = await fixture.replay(greenLanes)
  const editor = await startEditor(fixture, { args: ['--model', model] })
  const { sessionId } = await editor.open(fixture.repo)
  const folder = join(fixture.folder, 'config', 'drydock')
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'config.json'), '{ "no_such_key": 1 }')
  expect(await editor.prompt(sessionId, 'Say new')).toBe('end_turn')
  const [, log = ''] = /What it said is in (\S+acp\.log)\. Nothing is lost/.exec(editor.said(sessionId).join()) ?? []
  expect(await readFile(log, 'utf8')).toContain('no_such_key')
  await rm(folder, { recursive: true })
  expect(await editor.prompt(sessionId, 'Go on')).toBe('end_turn')
  expect(editor.said(sessionId).at(-1)).toContain('**DONE.**')
})

test('a person who starts the command in a terminal is told who starts it', async () => {
  fixture = await createFixture()
  const { exitCode, stdout } = await launchInTerminal(['acp', '--repo', fixture.repo], { env: fixture.env }).ended
  expect([exitCode, stdout]).toEqual([2, expect.stringContaining('drydock acp must be started by an editor')])
})
