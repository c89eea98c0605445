import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import type { WireTurn } from '../wire/turn.ts'
import { startWireServer, type WireRequest } from '../wire/wire-server.ts'
import { createFixture, type Fixture } from '../world/fixture.ts'
import { type CommandResult, call, change, greenLanes, plan, resultOf, write } from './world/fixture.ts'

const key = 'sk-canary-71d0e5b2c9'

let fixture: Fixture
afterEach(() => fixture.remove())

const fileOf = () => join(fixture.folder, 'run.recording.json')
const recorded = async () => JSON.parse(await readFile(fileOf(), 'utf8'))

/** Plays the recording in a state without the Run. */
function replay(...args: readonly string[]): Promise<CommandResult> {
  const env = { ...fixture.env, DRYDOCK_HOME: join(fixture.folder, 'fresh') }
  return fixture.launch([...args, '--model', `replay:${fileOf()}`, '--json', '--no-wait'], { env }).ended
}

/** The tree and the purpose of each commit of a result. */
async function commitsOf(result: CommandResult): Promise<readonly string[]> {
  const { branch } = resultOf(result)
  const log = await fixture.git('log', '--format=%T %s', `main..${String(branch)}`)
  return log.split('\n')
}

async function configureProvider(wire: object): Promise<void> {
  const folder = join(fixture.folder, 'config', 'drydock')
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'config.json'), JSON.stringify({ providers: { wire } }))
}

describe('a task', () => {
  const planning: readonly WireTurn[] = [
    { error: { kind: 'overloaded', message: `busy, ${key}` } },
    {
      text: `Your key is ${key}.`,
      ...call('run_command', { command: `echo ${key}` }),
      usage: { input: 900, output: 40 },
    },
    { calls: [{ tool: 'read_file', input: {}, rawInput: '{"path": "val' }] },
    { calls: [{ tool: 'no_such_tool', input: { at: 'dawn' } }] },
    { text: 'I think about it.' },
    plan(),
  ]
  const coding: readonly WireTurn[] = [
    { ...write('new\n'), fault: 'broken' },
    { ...write('new, ${run_id}, $${sha} and ${dollar}\n'), usage: { input: 1_000, output: 50, cacheRead: 800 } },
    change(),
  ]

  async function serve() {
    const scripts = { planning: [...planning], coding: [...coding] }
    const isCoding = ({ body }: WireRequest) =>
      body.tools.some((tool: { function: { name: string } }) => tool.function.name === 'submit_change')
    const server = await startWireServer((request) => {
      const turn = (isCoding(request) ? scripts.coding : scripts.planning).shift()
      return turn ?? { refusal: { status: 400, body: 'the script has ended' } }
    })
    onTestFinished(() => server.close())
    fixture = await createFixture({ env: { WIRE_KEY: key } })
    await configureProvider({ kind: 'openai-compatible', baseURL: `${server.origin}/v1`, apiKeyEnv: 'WIRE_KEY' })
    return server
  }

  test('is recorded with failed and invalid turns in their places, without the key, and replayed to the same tree', async () => {
    const server = await serve()
    const done = await fixture.drydock('task', 'say new', '--model', 'wire:coder', '--json', '--record', fileOf())
    expect(done.exitCode, done.stderr).toBe(0)
    expect(await readFile(fileOf(), 'utf8')).not.toContain(key)
    expect((await readdir(fixture.folder)).filter((name) => name.includes('recording'))).toEqual(['run.recording.json'])
    const { lanes } = await recorded()
    expect(lanes['editor/task/PLANNING'].slice(0, -1)).toEqual([
      { error: { kind: 'overloaded', message: expect.stringContaining('busy, '), retryable: true } },
      {
        text: 'Your key is [redacted by drydock].',
        calls: [{ tool: 'run_command', input: { command: 'echo [redacted by drydock]' } }],
        usage: { input: 900, output: 40, cacheRead: 0, cacheWrite: 0 },
      },
      { calls: [{ tool: 'read_file', input: '{"path": "val' }] },
      { calls: [{ tool: 'no_such_tool', input: { at: 'dawn' } }] },
      { text: 'I think about it.' },
    ])
    expect(lanes['editor/task/CODING']).toMatchObject([
      { error: { kind: 'interrupted', retryable: true } },
      { usage: { input: 1_000, output: 50, cacheRead: 800, cacheWrite: 0 } },
      { calls: [{ tool: 'submit_change' }] },
    ])
    const asked = server.requests.length
    const again = await replay('task', 'say new')
    expect(again.exitCode, again.stderr).toBe(0)
    expect(server.requests.length).toBe(asked)
    expect(await commitsOf(again)).toEqual(await commitsOf(done))
    expect(await fixture.git('show', `${String(resultOf(again).branch)}:value.txt`)).toBe(
      'new, ${run_id}, $${sha} and ${dollar}',
    )
  })

  test('that has ended is recorded by resume', async () => {
    fixture = await createFixture()
    const done = await fixture.drydock('task', 'say new', '--model', await fixture.replay(greenLanes), '--json')
    await fixture.drydock('resume', String(done.events[0]?.run), '--record', fileOf())
    expect((await recorded()).lanes).toEqual(greenLanes)
  })

  test('is not begun when the file is something else or has no folder', async () => {
    fixture = await createFixture()
    await writeFile(fileOf(), '{ "name": "my-app" }')
    const model = await fixture.replay(greenLanes)
    for (const file of [fileOf(), join(fixture.folder, 'nowhere', 'a.json')]) {
      const refused = await fixture.drydock('task', 'say new', '--model', model, '--json', '--record', file)
      expect(refused.exitCode).toBe(2)
      expect(refused.events).toMatchObject([{ type: 'error', code: 'bad_usage' }])
    }
    expect(await readFile(fileOf(), 'utf8')).toBe('{ "name": "my-app" }')
    await writeFile(fileOf(), '{ "version": 1, "lanes": {} }')
    const replaced = await fixture.drydock('task', 'say new', '--model', model, '--json', '--record', fileOf())
    expect(replaced.exitCode, replaced.stderr).toBe(0)
    expect((await recorded()).lanes).toEqual(greenLanes)
  })
})
