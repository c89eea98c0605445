import { once } from 'node:events'
import { join } from 'node:path'
import { methods } from '@agentclientprotocol/sdk'
import { expect, onTestFinished, test } from 'vitest'
import { startEditor, textOf } from '../scenarios/acp/editor-world.ts'
import { call, change, createFixture, plan, write } from '../scenarios/world/fixture.ts'
import { findGate, gatedLanes } from '../scenarios/world/process.ts'

test('an editor starts Drydock, sees each step, verification and cost of its task, and an agent that is killed takes nothing with it', async () => {
  const key = 'sk-planted-0123456789abcdef'
  const fixture = await createFixture({ env: { ANTHROPIC_API_KEY: key }, files: { 'notes.md': `the key is ${key}\n` } })
  onTestFinished(() => fixture.remove())
  const leak = call('run_command', { command: 'cat notes.md' })
  const lanes = {
    'editor/task/PLANNING': [plan()],
    'editor/task/CODING': [
      leak,
      write('old again\n'),
      change(),
      write('new\n'),
      change('Say new', { hypothesis: 'No' }),
    ],
  }
  const editor = await startEditor(fixture, { args: ['--model', await fixture.replay(lanes)] })
  const { sessionId } = await editor.open(fixture.repo)
  expect(await editor.prompt(sessionId, 'Say new\nin value.txt')).toBe('end_turn')

  expect(editor.of(sessionId, 'session_info_update').at(-1)?.title).toBe('Say new')
  expect(editor.of(sessionId, 'plan').at(-1)?.entries).toEqual([
    { content: 'Say new (DONE)', priority: 'medium', status: 'completed' },
  ])
  const calls = editor.of(sessionId, 'tool_call')
  const path = `${fixture.repo}/value.txt`
  expect(calls.filter(({ name }) => name === 'write_file')).toMatchObject([
    { content: [{ type: 'diff', newText: 'old again\n' }] },
    {
      kind: 'edit',
      status: 'completed',
      locations: [{ path }],
      content: [{ type: 'diff', path, oldText: null, newText: 'new\n' }],
    },
  ])
  const commands = calls.filter(({ kind }) => kind === 'execute')
  expect(commands[0]).toMatchObject({ title: 'run_command cat notes.md', status: 'completed' })
  expect(JSON.stringify(commands[0])).toContain('the key is [redacted by drydock]')
  const verifying = commands.slice(1)
  expect(verifying.map(({ title, status }) => [title, status])).toEqual([
    ['Verify the change', 'in_progress'],
    ['Verify the change', 'in_progress'],
  ])
  const ends = editor.of(sessionId, 'tool_call_update')
  expect(ends.map(({ toolCallId, status }) => [toolCallId, status])).toEqual([
    [verifying[0]?.toolCallId, 'failed'],
    [verifying[1]?.toolCallId, 'completed'],
  ])
  expect(JSON.stringify(ends)).toMatch(/Verdict: FAIL[\s\S]*grep -q new value.txt[\s\S]*Verdict: PASS/)
  expect(editor.of(sessionId, 'usage_update').at(-1)).toMatchObject({
    cost: { amount: 0, currency: 'USD' },
    _meta: { 'drydock/budget': { run_usd: 20 } },
  })
  expect(editor.said(sessionId).at(-1)).toMatch(
    /\*\*DONE\.\*\* The change is verified[\s\S]*`drydock\/say-new-in-value-txt`[\s\S]*PASS[\s\S]*git merge drydock\/[\s\S]*Cost: \$0/,
  )
  expect(await fixture.git('show', 'drydock/say-new-in-value-txt:value.txt')).toBe('new')
  expect(JSON.stringify(editor.updates(sessionId))).not.toContain(key)
  expect([editor.foreign, await editor.close(), editor.stderr()]).toEqual([[], 0, ''])

  // A second run, whose editor dies with its agent while a command runs.
  const model = await fixture.replay(gatedLanes)
  const dying = await startEditor(fixture, { args: ['--model', model] })
  const session = (await dying.open(fixture.repo)).sessionId
  void dying.prompt(session, 'Say new').catch(() => undefined)
  const gate = await findGate(join((await fixture.open()).state, 'workspaces', 'coder-001'))
  dying.child.kill('SIGKILL')
  await once(dying.child, 'close')
  await gate.open()
  const next = await startEditor(fixture, { args: ['--model', model] })
  await next.agent.request(methods.agent.session.load, { sessionId: session, cwd: fixture.repo, mcpServers: [] })
  await next.until(session, (update) => textOf(update).includes('**DONE.**'))
  expect(await fixture.git('show', 'drydock/say-new:value.txt')).toBe('new')
})
