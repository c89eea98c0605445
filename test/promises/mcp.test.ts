import { link, readdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { toolsOf } from '../../src/agents/tools/registry.ts'
import type { Story } from '../../src/domain/story/story.ts'
import { approve, build, createCrewFixture, greenStory, type Lanes, specLanes } from '../scenarios/world/crew.ts'
import { type CommandResult, call, type Fixture, resultOf } from '../scenarios/world/fixture.ts'
import { connectMcp, type McpConnection } from '../scenarios/world/mcp-client.ts'

const look = call('read_file', { path: 'value.txt' })

/**
 * The code's reviewer reads and then has no request left; the next one is sent once a human has
 * answered.
 */
const waiting: Lanes = {
  ...specLanes('one'),
  ...greenStory('one'),
  'architect/REQUEST/code/one/1': [look, approve()],
}

const key = 'sk-planted-0123456789abcdef'

const createWaiting = () =>
  createCrewFixture({
    config: { architect: { request_soft_limit: 1, request_hard_limit: 2 } },
    env: { ANTHROPIC_API_KEY: key },
  })

const open: { fixture: Fixture; connected: McpConnection }[] = []

async function connect(fixture: Fixture, ...more: Parameters<typeof connectMcp>[1][]): Promise<McpConnection> {
  const connected = await connectMcp(fixture, ...more)
  open.push({ fixture, connected })
  return connected
}

async function closeAll(): Promise<void> {
  for (const { fixture, connected } of open.splice(0)) {
    await connected.client.close()
    await fixture.remove()
  }
}

describe('an MCP client, while a run waits for a human and nothing works on it,', () => {
  let fixture: Fixture
  let built: CommandResult
  let mcp: McpConnection
  let workspaces: string
  let snapshot: string

  beforeAll(async () => {
    fixture = await createWaiting()
    built = await build(fixture, waiting, '--max-coders', '2')
    const { state, openRecords } = await fixture.open()
    const records = openRecords()
    const story = (await records?.machine(`${built.events[0]?.run}/one`)) as Story
    await records?.close()
    snapshot = story.data.snapshot?.sha ?? ''
    workspaces = join(state, 'workspaces')
    await writeFile(join(workspaces, 'coder-002', 'secret.txt'), 'of another story\n')
    await writeFile(join(workspaces, 'coder-001', '.env'), 'KEY=planted\n')
    await writeFile(join(workspaces, 'coder-001', 'notes.md'), `the key is ${key}\n`)
    await symlink('../coder-002/secret.txt', join(workspaces, 'coder-001', 'relative'))
    await symlink(join(workspaces, 'coder-002', 'secret.txt'), join(workspaces, 'coder-001', 'absolute'))
    await link(join(workspaces, 'coder-002', 'secret.txt'), join(workspaces, 'coder-001', 'second-name'))
    mcp = await connect(fixture)
  })

  afterAll(closeAll)

  test('is told of the read tools as the registry has them, and of status and reply', async () => {
    expect(built.exitCode).toBe(6)
    const { tools } = await mcp.client.listTools()
    const registry = toolsOf('architect_review').filter(({ name }) => /^(read|list|search|get)_/.test(name))
    expect(tools.map(({ name }) => name)).toEqual(['status', 'reply', ...registry.map(({ name }) => name)])
    for (const { name, purpose: description, input } of registry) {
      const served = tools.find((tool) => tool.name === name)
      const { run, ...properties } = served?.inputSchema.properties ?? {}
      expect({ name, description: served?.description, properties }).toEqual({
        name,
        description,
        properties: z.toJSONSchema(input(), { io: 'input' }).properties,
      })
      expect(run !== undefined).toBe(name !== 'get_diff')
    }
    const writing = tools.filter(({ annotations }) => annotations?.readOnlyHint !== true)
    expect(writing.map(({ name }) => name)).toEqual(['reply'])
  })

  test('reads the workspace of a coder, and without one the run branch', async () => {
    expect(await mcp.call('read_file', { coder_id: 'coder-001', path: 'one.txt' })).toEqual({
      isError: false,
      text: '1\tone',
    })
    expect(await mcp.call('list_files', { coder_id: 'coder-001', pattern: '*.txt' })).toEqual({
      isError: false,
      text: 'one.txt\nvalue.txt',
    })
    expect(await mcp.call('search_files', { coder_id: 'coder-001', pattern: '^one$' })).toEqual({
      isError: false,
      text: 'one.txt:1: one',
    })
    expect(await mcp.call('list_files', { pattern: '*.txt' })).toEqual({ isError: false, text: 'value.txt' })
    expect(await mcp.call('read_file', { path: 'one.txt' })).toMatchObject({ isError: true })
  })

  test.each([
    ['a path that leads up', { coder_id: 'coder-001', path: '../coder-002/secret.txt' }],
    ['an absolute path', { coder_id: 'coder-001', path: '/etc/passwd' }],
    ['a link to another workspace', { coder_id: 'coder-001', path: 'relative' }],
    ['a link to a path of the host', { coder_id: 'coder-001', path: 'absolute' }],
    ['a second name of a file of another workspace', { coder_id: 'coder-001', path: 'second-name' }],
    ['a workspace by a path', { coder_id: '../workspaces/coder-002', path: 'secret.txt' }],
    ['a workspace that is not there', { coder_id: 'coder-003', path: 'value.txt' }],
    ['a secret file', { coder_id: 'coder-001', path: '.env' }],
    ['a file over a run that is not there', { run: 'nothing', path: 'value.txt' }],
    ['a field that the tool does not have', { coder_id: 'coder-001', path: 'value.txt', root: '/' }],
  ])('is refused %s', async (_, input) => {
    const { isError, text } = await mcp.call('read_file', input)
    expect(isError).toBe(true)
    expect(text).not.toMatch(/of another story|planted|root:/)
  })

  test("never gets the user's own key, wherever it stands", async () => {
    expect(await mcp.call('read_file', { coder_id: 'coder-001', path: 'notes.md' })).toEqual({
      isError: false,
      text: '1\tthe key is [redacted by drydock]',
    })
  })

  test('finds nothing of another workspace in a search through one', async () => {
    expect(await mcp.call('search_files', { coder_id: 'coder-001', pattern: 'another story' })).toEqual({
      isError: false,
      text: '(no match)',
    })
  })

  test('sees what a story has changed, between two commits that exist, and takes no snapshot for it', async () => {
    const { state } = await fixture.open()
    const refs = () => readdir(join(state, 'mirror.git', 'refs', 'drydock'), { recursive: true })
    const before = await refs()
    const { isError, text: diff } = await mcp.call('get_diff', { coder_id: 'coder-001' })
    expect(isError).toBe(false)
    const [story, base, to, truncated, ...lines] = diff.split('\n')
    expect([story, truncated]).toEqual([`story ${built.events[0]?.run}/one`, 'truncated false'])
    expect(base).toBe(`base ${await fixture.git('rev-parse', 'main')}`)
    expect(to).toBe(`snapshot ${snapshot}`)
    expect(lines).toContain('+one')
    expect(diff).not.toContain('planted')
    expect(await refs()).toEqual(before)
    expect(await mcp.call('get_diff', { coder_id: 'coder-001', base: snapshot })).toMatchObject({
      isError: false,
      text: expect.stringContaining('(no change)'),
    })
    expect(await mcp.call('get_diff', { coder_id: 'coder-001', base: '0'.repeat(40) })).toMatchObject({ isError: true })
    expect(await mcp.call('get_diff', { coder_id: 'coder-002' })).toMatchObject({ isError: true })
  })

  test('sees the stories and the question, the thread, and logs of verifications', async () => {
    const { text: status } = await mcp.call('status')
    expect(JSON.parse(status)).toMatchObject({
      run: {
        run: built.events[0]?.run,
        kind: 'spec',
        state: 'WAITS_FOR_YOU',
        crew: { architect: 'ESCALATED' },
        stories: [{ id: 'one', state: 'CODE_REVIEW', slot: 'coder-001' }],
        questions: [{ message: '1', story: 'one', question: expect.stringContaining('value.txt') }],
      },
      others: [],
    })
    expect(await mcp.call('read_messages')).toMatchObject({
      isError: false,
      text: expect.stringMatching(/^one \[1\] architect asks a human: /),
    })
    const runId = built.events.find(({ type }) => type === 'verification')?.run_id
    expect(await mcp.call('read_file', { path: `artifact:${runId}/logs/combined.log` })).toMatchObject({
      isError: false,
    })
    expect(
      await mcp.call('read_file', { path: 'artifact:run_20260101_000000_aaaaaa/logs/combined.log' }),
    ).toMatchObject({
      isError: true,
    })
  })

  test('gets the error of a call as its result, and continues', async () => {
    expect(await mcp.call('status', { run: 'nothing' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('There is no run "nothing".'),
    })
    expect(await mcp.call('reply', { message: '99', text: 'Yes.' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('There is no message 99.'),
    })
    expect(await mcp.call('reply', { message: '1; rm', text: 'Yes.' })).toMatchObject({ isError: true })
    await expect(mcp.call('write_file', { path: 'value.txt', content: 'new' })).rejects.toThrow('write_file')
    expect(await mcp.call('status')).toMatchObject({ isError: false })
    expect(mcp.errors).toEqual([])
  })

  test('answers the question, and the run continues with it once it is resumed', async () => {
    expect(await mcp.call('reply', { message: '1', text: 'It is fine.' })).toEqual({
      isError: false,
      text: 'Recorded. Continue with: drydock resume',
    })
    expect(await mcp.call('reply', { message: '1', text: 'Again.' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('Message 1 already has an answer.'),
    })
    const resumed = await fixture.drydock('resume', '--json', '--no-wait', '--max-coders', '3')
    expect(resultOf(resumed)).toMatchObject({ status: 'DONE' })
    expect(await mcp.call('read_file', { path: 'one.txt' })).toEqual({ isError: false, text: '1\tone' })
    expect(await mcp.call('list_files', { coder_id: 'coder-003', pattern: '*' })).toMatchObject({ isError: false })
    expect(JSON.parse((await mcp.call('status')).text)).toMatchObject({ run: { state: 'DONE', questions: [] } })
  })
})
