import { methods } from '@agentclientprotocol/sdk'
import { expect, onTestFinished, test } from 'vitest'
import { type EditorOptions, startMemoryEditor } from '../../world/editor.ts'
import { createMemoryFixture, type MemoryFixture } from '../../world/fixture.ts'
import type { Program } from '../../world/sandbox.ts'
import {
  alwaysGreen,
  approve,
  finding,
  greenStory,
  type Lanes,
  needsChanges,
  specLanes,
  submit,
  writeFile,
} from '../world/crew.ts'
import { call, change, greenLanes, plan } from '../world/fixture.ts'
import type { PlayedEditor } from './editor-world.ts'

async function crewFixture(options: { readonly config?: object } = {}): Promise<MemoryFixture> {
  const fixture = await createMemoryFixture({ steps: [alwaysGreen], ...options })
  onTestFinished(() => fixture.remove())
  return fixture
}

const start = async (fixture: MemoryFixture, lanes: Lanes, options: EditorOptions = {}): Promise<PlayedEditor> =>
  startMemoryEditor(fixture, { ...options, options: { model: await fixture.replay(lanes) } })

const setMode = (editor: PlayedEditor, sessionId: string, value: string) =>
  editor.agent.request(methods.agent.session.setConfigOption, { sessionId, configId: 'mode', value })

test('a spec becomes stories, which are approved before they are built, reviewed and merged', async () => {
  const fixture = await crewFixture()
  const editor = await start(
    fixture,
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
      title: 'Review of the code of one, round 1: NEEDS_CHANGES',
      status: 'failed',
      locations: [{ path: `${fixture.repo}/one.txt`, line: 1 }],
    }),
  )
  expect(editor.said(sessionId).at(-1)).toMatch(/one: DONE[\s\S]*two: DONE[\s\S]*\*\*DONE\.\*\* All stories are built/)
  expect(await fixture.git('ls-tree', '--name-only', 'drydock/make-the-files')).toMatch(/one\.txt\ntwo\.txt/)
})

test('stories that are not approved wait for the next prompt, which may ask for others', async () => {
  const fixture = await crewFixture()
  const [first = {}] = specLanes('one')['architect/STORY_GENERATION'] ?? []
  const [other = {}] = specLanes('two')['architect/STORY_GENERATION'] ?? []
  const editor = await start(
    fixture,
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

test('in the mode plan the stories are the answer, and the next prompt is separate work', async () => {
  const fixture = await crewFixture()
  const editor = await start(fixture, { ...specLanes('one'), ...greenLanes })
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
  const fixture = await crewFixture({ config: lost.config })
  const editor = await start(fixture, lost.lanes, {
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
  const fixture = await crewFixture({ config: lost.config })
  const editor = await start(fixture, lost.lanes, { permit: () => 'approve' })
  const { sessionId } = await editor.open(fixture.repo)
  await setMode(editor, sessionId, 'run')
  expect(await editor.prompt(sessionId, 'Make the files')).toBe('end_turn')
  expect(editor.said(sessionId).at(-1)).toBe(
    'It waits for your answer to the question above. Answer with your next prompt.',
  )
  expect(await editor.prompt(sessionId, 'It is good.')).toBe('end_turn')
  expect(editor.said(sessionId).at(-1)).toContain('**DONE.**')
})

/** A runner that reports the names of a file's tests. */
const tapOf: Program = ({ read }) => {
  const names = [...(read('test/a.test.js') ?? '').matchAll(/^test\('(\w+)'/gm)].map(([, name]) => name)
  const lines = names.map((name, i) => `ok ${i + 1} - ${name}`)
  return { exitCode: 0, output: ['TAP version 13', ...lines, `1..${names.length}`, ''].join('\n') }
}

test('each finding of the gate on a result is asked about, and those that are allowed are accepted by their ids', async () => {
  const head = `import test from 'node:test'\nimport assert from 'node:assert'\n`
  const one = `test('one', () => assert.ok(Date.now() > 1))\n`
  const two = `test('two', () => assert.ok(Date.now() > 2))\n`
  const fixture = await createMemoryFixture({
    steps: [{ name: 'test', command: 'node --test --test-reporter=tap test/a.test.js', timeout_sec: 30 }],
    programs: { node: tapOf },
    files: { 'package.json': '{ "type": "module" }\n', 'test/a.test.js': head + one + two },
  })
  onTestFinished(() => fixture.remove())
  const gutted = writeFile('test/a.test.js', head + one)
  const script = writeFile('package.json', '{ "type": "module", "scripts": { "test": "true" } }\n')
  const lanes = { 'editor/task/PLANNING': [plan()], 'editor/task/CODING': [gutted, script, change('Less to run')] }
  const editor = await start(fixture, lanes, { permit: () => 'accept' })
  const { sessionId } = await editor.open(fixture.repo)
  expect(await editor.prompt(sessionId, 'less tests')).toBe('end_turn')
  expect(editor.permissions.map(({ toolCall: { title } }) => title)).toEqual([
    expect.stringMatching(/^Accept g-[0-9a-f]{12}\? Tests that ran on the base commit no longer run/),
    expect.stringMatching(/^Accept g-[0-9a-f]{12}\? package\.json changes what is run/),
  ])
  const said = editor.said(sessionId)
  expect(said.filter((text) => text.includes('**FINDINGS.**'))).toHaveLength(1)
  expect(said.at(-1)).toContain('**DONE.**')
  expect((await fixture.drydock('resume', '--json')).exitCode).toBe(0)
})
