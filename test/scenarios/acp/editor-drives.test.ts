import { methods } from '@agentclientprotocol/sdk'
import { afterEach, expect, test } from 'vitest'
import { createAgentFixture, scripted, submit as submitChange, writeNew } from '../world/agent.ts'
import {
  approve,
  createCrewFixture,
  finding,
  greenStory,
  type Lanes,
  needsChanges,
  specLanes,
  submit,
  writeFile,
} from '../world/crew.ts'
import { call, change, createFixture, type Fixture, greenLanes, plan, write } from '../world/fixture.ts'
import { type PlayedEditor, startEditor } from './editor-world.ts'

let fixture: Fixture
afterEach(() => fixture.remove())

const start = async (lanes: Lanes, options: Parameters<typeof startEditor>[1] = {}): Promise<PlayedEditor> =>
  startEditor(fixture, { ...options, args: ['--model', await fixture.replay(lanes), ...(options.args ?? [])] })

const setMode = (editor: PlayedEditor, sessionId: string, value: string) =>
  editor.agent.request(methods.agent.session.setConfigOption, { sessionId, configId: 'mode', value })

test('a prompt becomes a task, whose steps, verification and cost are shown, and which ends with a branch', async () => {
  const key = 'sk-planted-0123456789abcdef'
  fixture = await createFixture({ env: { ANTHROPIC_API_KEY: key }, files: { 'notes.md': `the key is ${key}\n` } })
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
  const editor = await start(lanes)
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
      ...{ kind: 'edit', status: 'completed', locations: [{ path }] },
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
    ...{ cost: { amount: 0, currency: 'USD' }, _meta: { 'drydock/budget': { run_usd: 20 } } },
  })
  expect(editor.said(sessionId).at(-1)).toMatch(
    /\*\*DONE\.\*\* The change is verified[\s\S]*`drydock\/say-new-in-value-txt`[\s\S]*PASS[\s\S]*git merge drydock\/[\s\S]*Cost: \$0/,
  )
  expect(await fixture.git('show', 'drydock/say-new-in-value-txt:value.txt')).toBe('new')
  expect(JSON.stringify(editor.updates(sessionId))).not.toContain(key)
  expect([editor.foreign, await editor.close(), editor.stderr()]).toEqual([[], 0, ''])
})

test('a spec becomes stories, which are approved before they are built, reviewed and merged', async () => {
  fixture = await createCrewFixture()
  const editor = await start(
    {
      ...specLanes('one', { id: 'two', depends_on: ['one'] }),
      ...greenStory('one'),
      ...greenStory('two'),
      'editor/one/CODING': [writeFile('one.txt', 'one\n'), submit('one'), writeFile('one.txt', '1\n'), submit('one')],
      'architect/REQUEST/code/one/1': [needsChanges('Not yet.', [finding({ file: 'one.txt', line: 1 })])],
      'architect/REQUEST/code/one/2': [approve()],
    },
    { permit: () => 'approve' },
  )
  const { sessionId, configOptions } = await editor.open(fixture.repo)
  expect(configOptions?.map(({ id, currentValue }) => [id, currentValue])).toEqual([
    ['mode', 'task'],
    ['model', 'configured'],
    ['budget', 'configured'],
  ])
  expect((await setMode(editor, sessionId, 'run')).configOptions[0]).toMatchObject({ currentValue: 'run' })
  expect(await editor.prompt(sessionId, '# Make the files')).toBe('end_turn')

  expect(editor.permissions).toMatchObject([
    {
      toolCall: {
        title: 'Build these stories?',
        content: [{ content: { text: expect.stringContaining('two: Make two') } }],
      },
      options: [{ kind: 'allow_once' }, { kind: 'reject_once' }, { kind: 'reject_once' }],
    },
  ])
  const plans = editor.of(sessionId, 'plan').map(({ entries }) => entries.map(({ status }) => status))
  expect(plans).toContainEqual(['pending', 'pending'])
  expect(plans).toContainEqual(['completed', 'in_progress'])
  expect(plans.at(-1)).toEqual(['completed', 'completed'])
  const reviews = editor.of(sessionId, 'tool_call').filter(({ kind }) => kind === 'think')
  expect(reviews).toContainEqual(
    expect.objectContaining({
      ...{ title: 'Review of the code of one, round 1: NEEDS_CHANGES', status: 'failed' },
      locations: [{ path: `${fixture.repo}/one.txt`, line: 1 }],
    }),
  )
  expect(editor.said(sessionId).at(-1)).toMatch(/one: DONE[\s\S]*two: DONE[\s\S]*\*\*DONE\.\*\* All stories are built/)
  expect(await fixture.git('ls-tree', '--name-only', 'drydock/make-the-files')).toMatch(/one\.txt\ntwo\.txt/)
})

test('stories that are not approved wait for the next prompt, which may ask for others', async () => {
  fixture = await createCrewFixture()
  const [first = {}] = specLanes('one')['architect/STORY_GENERATION'] ?? []
  const [other = {}] = specLanes('two')['architect/STORY_GENERATION'] ?? []
  const editor = await start(
    { ...specLanes(), ...greenStory('two'), 'architect/STORY_GENERATION': [first, other] },
    { permit: () => 'change' },
  )
  const { sessionId } = await editor.open(fixture.repo)
  await setMode(editor, sessionId, 'run')
  expect(await editor.prompt(sessionId, 'Make the files')).toBe('end_turn')
  expect(editor.said(sessionId).at(-1)).toMatch(/^It waits for you\. With your next prompt, say what to change/)
  expect(await editor.prompt(sessionId, 'Only the second')).toBe('end_turn')
  expect(editor.permissions).toHaveLength(2)
  expect(await editor.prompt(sessionId, 'approve')).toBe('end_turn')
  expect(editor.said(sessionId).at(-1)).toMatch(/two: DONE/)
})

test('in the mode plan the stories are the answer, and the next prompt is work of its own', async () => {
  fixture = await createCrewFixture()
  const editor = await start({ ...specLanes('one'), ...greenLanes })
  const { sessionId } = await editor.open(fixture.repo)
  await editor.agent.request(methods.agent.session.setMode, { sessionId, modeId: 'plan' })
  expect(editor.of(sessionId, 'config_option_update')[0]?.configOptions[0]).toMatchObject({ currentValue: 'plan' })
  expect(await editor.prompt(sessionId, 'Make the files')).toBe('end_turn')
  expect(editor.said(sessionId).at(-1)).toMatch(/one: Make one[\s\S]*one\.txt is there[\s\S]*The stories are planned/)
  expect(await fixture.git('branch', '--list', 'drydock/*')).toBe('')
  await setMode(editor, sessionId, 'task')
  expect(await editor.prompt(sessionId, 'Say new')).toBe('end_turn')
  expect(await fixture.git('show', 'drydock/say-new:value.txt')).toBe('new')
})

const lost = {
  config: { architect: { request_soft_limit: 1, request_hard_limit: 2 } },
  lanes: {
    ...specLanes('one'),
    ...greenStory('one'),
    'architect/REQUEST/code/one/1': [call('list_files', { pattern: '*.txt' }), approve()],
  },
}

test('a question of an agent is a form for an editor that has forms', async () => {
  fixture = await createCrewFixture({ config: lost.config })
  const editor = await start(lost.lanes, {
    capabilities: { elicitation: { form: {} } },
    permit: () => 'approve',
    fill: () => ({ action: 'accept', content: { answer: 'It is good.' } }),
  })
  const { sessionId } = await editor.open(fixture.repo)
  await setMode(editor, sessionId, 'run')
  expect(await editor.prompt(sessionId, 'Make the files')).toBe('end_turn')
  expect(editor.forms).toMatchObject([{ mode: 'form', sessionId, requestedSchema: { required: ['answer'] } }])
  expect(editor.said(sessionId).at(-1)).toContain('**DONE.**')
  expect((await fixture.drydock('chat')).stdout).toContain('It is good.')
})

test('without forms the question ends the turn in words, and the next prompt is its answer', async () => {
  fixture = await createCrewFixture({ config: lost.config })
  const editor = await start(lost.lanes, { permit: () => 'approve' })
  const { sessionId } = await editor.open(fixture.repo)
  await setMode(editor, sessionId, 'run')
  expect(await editor.prompt(sessionId, 'Make the files')).toBe('end_turn')
  expect(editor.said(sessionId).at(-1)).toBe(
    'It waits for your answer to the question above. Answer with your next prompt.',
  )
  expect(await editor.prompt(sessionId, 'It is good.')).toBe('end_turn')
  expect(editor.said(sessionId).at(-1)).toContain('**DONE.**')
})

test('an agent of another maker works for an editor, which sees what is observed of it', async () => {
  fixture = await createAgentFixture({ turns: [{ steps: [{ say: 'I begin.' }, writeNew, submitChange()] }] })
  const editor = await start({}, { args: ['--editor-model', scripted] })
  const { sessionId } = await editor.open(fixture.repo)
  expect(await editor.prompt(sessionId, 'say new')).toBe('end_turn')
  const thoughts = editor.of(sessionId, 'agent_thought_chunk')
  expect(JSON.stringify(thoughts)).toContain('I begin.')
  expect(editor.of(sessionId, 'tool_call')).toContainEqual(
    expect.objectContaining({
      ...{ kind: 'edit', title: expect.stringContaining('(observed)') },
      locations: [{ path: `${fixture.repo}/value.txt` }],
    }),
  )
  expect(editor.said(sessionId).at(-1)).toContain('**DONE.**')
})

test('each finding of the gate on a result is asked about, and those that are allowed are accepted by their ids', async () => {
  const head = `import test from 'node:test'\nimport assert from 'node:assert'\n`
  const one = `test('one', () => assert.ok(Date.now() > 1))\n`
  const two = `test('two', () => assert.ok(Date.now() > 2))\n`
  fixture = await createFixture({
    steps: [{ name: 'test', command: 'node --test --test-reporter=spec test/*.test.js', timeout_sec: 30 }],
    files: { 'package.json': '{ "type": "module" }\n', 'test/a.test.js': head + one + two },
  })
  const gutted = writeFile('test/a.test.js', head + one)
  const lanes = { 'editor/task/PLANNING': [plan()], 'editor/task/CODING': [gutted, change('Less to run')] }
  const editor = await start(lanes, { permit: () => 'accept' })
  const { sessionId } = await editor.open(fixture.repo)
  expect(await editor.prompt(sessionId, 'less tests')).toBe('end_turn')
  expect(editor.permissions.map(({ toolCall: { title } }) => title)).toEqual([
    expect.stringMatching(/^Accept g-[0-9a-f]{12}\? Tests that ran on the base commit no longer run/),
    expect.stringMatching(/^Accept g-[0-9a-f]{12}\? test\/a\.test\.js has/),
  ])
  const said = editor.said(sessionId)
  expect(said.filter((text) => text.includes('**FINDINGS.**'))).toHaveLength(1)
  expect(said.at(-1)).toContain('**DONE.**')
  expect((await fixture.drydock('resume', '--json')).exitCode).toBe(0)
})
