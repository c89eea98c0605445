import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { approve, createCrewFixture, greenStory, type Lanes, specLanes } from '../world/crew.ts'
import { call, createFixture, type Fixture, greenLanes, resultOf } from '../world/fixture.ts'
import { connectMcp, type McpConnection } from '../world/mcp-client.ts'
import { launch } from '../world/process.ts'

const bin = fileURLToPath(new URL('../../../bin/drydock', import.meta.url))

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

describe('an MCP client', () => {
  afterEach(closeAll)

  test('beside a run that works reads its workspace, and answers its question at once', async () => {
    const fixture = await createWaiting()
    const mcp = await connect(fixture)
    expect(await mcp.call('status')).toEqual({ isError: false, text: '{"run":null,"others":[]}' })
    expect(await mcp.call('list_files', { pattern: '*' })).toEqual({ isError: true, text: 'No run has started yet.' })
    const model = await fixture.replay(waiting)
    const args = ['run', 'Make the files', '--model', model, '--json', '--wait', '--repo', fixture.repo]
    const running = launch(args, { env: fixture.env })
    const { id } = JSON.parse(await running.line(/"type":"escalation"/))
    expect(await mcp.call('read_file', { coder_id: 'coder-001', path: 'one.txt' })).toEqual({
      isError: false,
      text: '1\tone',
    })
    expect(await mcp.call('reply', { message: id, text: 'It is fine.' })).toEqual({
      isError: false,
      text: 'Handed over.',
    })
    expect(await running.ended).toMatchObject({ exitCode: 0 })
    expect(mcp.errors).toEqual([])
  })

  test('of the newest protocol reads the result of a task', async () => {
    const fixture = await createFixture()
    const mcp = await connect(fixture, { versionNegotiation: { mode: 'auto' } })
    expect(mcp.client.getProtocolEra()).toBe('modern')
    const task = await fixture.drydock('task', 'Say new', '--model', await fixture.replay(greenLanes), '--json')
    const of = { status: 'DONE', run: task.events[0]?.run }
    expect(resultOf(task)).toMatchObject(of)
    expect(JSON.parse((await mcp.call('status')).text)).toMatchObject({ run: { run: of.run, state: 'DONE' } })
    expect(await mcp.call('read_file', { path: 'value.txt' })).toEqual({ isError: false, text: '1\tnew' })
  })
})

describe('drydock mcp', () => {
  let fixture: Fixture
  afterEach(() => fixture.remove())

  test('ends with its input, after ignoring a line that is not a message', async () => {
    fixture = await createCrewFixture()
    const child = spawn(bin, ['mcp', '--repo', fixture.repo], { env: fixture.env })
    onTestFinished(() => void child.kill('SIGKILL'))
    const [stdout, stderr] = [text(child.stdout), text(child.stderr)]
    child.stdin.end('no message\n{"jsonrpc":"1.0"}\n')
    expect(await once(child, 'close')).toEqual([0, null])
    expect(await stdout).toBe('')
    expect(await stderr).toMatch(/^drydock mcp: /)
  })

  test('says on stderr why it cannot start', async () => {
    fixture = await createCrewFixture()
    const folder = join(fixture.folder, 'elsewhere')
    await mkdir(folder)
    const ended = await launch(['mcp', '--repo', folder], { env: fixture.env }).ended
    expect(ended).toMatchObject({ exitCode: 2, stdout: '' })
    expect(existsSync(join(fixture.folder, 'state'))).toBe(false)
  })
})

test('a call has as long as the repository says that a tool may take', async () => {
  const fixture = await createFixture({ config: { architect: { tool_timeout_sec: 1 } } })
  onTestFinished(closeAll)
  const bin = join(fixture.folder, 'bin')
  await mkdir(bin)
  const slow =
    '#!/bin/sh\ncase "$*" in *"--batch-command -z"*) exec sleep 300;; esac\nPATH=$NORMAL_PATH exec git "$@"\n'
  await writeFile(join(bin, 'git'), slow.replace('$NORMAL_PATH', process.env.PATH ?? ''), { mode: 0o755 })
  expect((await fixture.drydock('task', 'x', '--model', await fixture.replay(greenLanes))).exitCode).toBe(0)
  const slowed = { ...fixture, env: { ...fixture.env, PATH: `${bin}:${process.env.PATH}` } }
  const mcp = await connect(slowed)
  expect(await mcp.call('read_file', { path: 'value.txt' })).toMatchObject({
    isError: true,
    text: expect.stringContaining('read_file did not end within 1 s'),
  })
})
