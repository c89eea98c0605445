import { afterEach, beforeEach, expect, test } from 'vitest'
import { approve, createCrewFixture, greenStory, specLanes } from '../scenarios/world/crew.ts'
import { call, change, createFixture, type Fixture, plan, type Turns, write } from '../scenarios/world/fixture.ts'
import { configureUser } from '../scenarios/world/hook.ts'
import { connectMcp, type McpConnection } from '../scenarios/world/mcp-client.ts'

let fixture: Fixture
let mcp: McpConnection | null = null
beforeEach(async () => {
  fixture = await createFixture()
})
afterEach(async () => {
  await mcp?.client.close()
  mcp = null
  await fixture.remove()
})

async function connect(
  lanes: Readonly<Record<string, Turns>>,
  allow: readonly string[],
  own: Fixture = fixture,
): Promise<McpConnection> {
  const models = { default: await own.replay(lanes) }
  await configureUser(own, { models, mcp: { allow, budget_usd: 3 } })
  mcp = await connectMcp(own)
  return mcp
}

const lanes = { 'editor/task/PLANNING': [plan()], 'editor/task/CODING': [write('new\n'), change()] }

test('a client that may start a task gets a verified branch back, hears of the progress, and spends no more than the user says', async () => {
  const { client } = await connect(lanes, ['start_task'])
  const heard: string[] = []
  const onprogress = ({ message = '' }) => void heard.push(message)
  const result = await client.callTool(
    { name: 'start_task', arguments: { task: 'say new', budget_usd: 50 } },
    { onprogress, resetTimeoutOnProgress: true, timeout: 60_000 },
  )
  expect(result.isError).not.toBe(true)
  const structured = result.structuredContent as {
    run: string
    status: string
    branch: string
    stories: { sha: string }[]
  }
  expect(structured).toMatchObject({ status: 'DONE', branch: 'drydock/say-new', stories: [{ verdict: 'PASS' }] })
  expect(await fixture.git('rev-parse', structured.branch)).toBe(structured.stories[0]?.sha)
  expect(heard).toEqual(expect.arrayContaining([expect.stringMatching(/verification ended with pass/i)]))
  const records = (await fixture.open()).openRecords()
  expect((await records.machineOf('run', structured.run))?.data.budget).toMatchObject({ runUsd: 3 })
  await records.close()
})

test('a question comes back as the result, and its answer continues the work; landing stays with people', async () => {
  const lanes = {
    ...specLanes('one'),
    ...greenStory('one'),
    // The architect has no request left for its answer.
    'architect/REQUEST/code/one/1': [call('read_file', { path: 'value.txt' }), approve()],
  }
  const config = { architect: { request_soft_limit: 1, request_hard_limit: 2 } }
  const crew = await createCrewFixture({ config })
  const { client, call: ask } = await connect(lanes, ['start_run', 'answer', 'cancel'], crew)
  const { tools } = await client.listTools()
  const doing = tools.filter(({ annotations }) => annotations?.readOnlyHint !== true).map(({ name }) => name)
  expect(doing).toEqual(['reply', 'start_run', 'answer', 'cancel'])
  const asked = await client.callTool({ name: 'start_run', arguments: { spec: 'Make the files' } })
  const waiting = asked.structuredContent as { run: string; status: string; questions: { message: string }[] }
  expect(waiting).toMatchObject({ status: 'WAITING', questions: [{ story: 'one' }] })
  const answered = await client.callTool({
    name: 'answer',
    arguments: { message: waiting.questions[0]?.message ?? '', text: 'Decide now.' },
  })
  expect(answered.structuredContent).toMatchObject({ run: waiting.run, status: 'DONE', stories: [{ state: 'DONE' }] })
  expect(await ask('cancel', { run: waiting.run })).toMatchObject({ isError: true })
  await crew.remove()
})

test('without the word of the user there is no such tool', async () => {
  const { client } = await connect(lanes, [])
  const { tools } = await client.listTools()
  expect(tools.filter(({ annotations }) => annotations?.readOnlyHint !== true).map(({ name }) => name)).toEqual([
    'reply',
  ])
})
