import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import type { WireTurn } from '../wire/turn.ts'
import { startWireServer, type WireRequest } from '../wire/wire-server.ts'
import {
  approve,
  createCrewFixture,
  greenStory,
  type Lanes,
  needsChanges,
  reject,
  specLanes,
  submit,
  writeFile as writing,
} from './world/crew.ts'
import {
  type CommandResult,
  call,
  change,
  createFixture,
  type Fixture,
  greenLanes,
  plan,
  resultOf,
  runHere,
  write,
} from './world/fixture.ts'
import { launch } from './world/process.ts'
import { startWireCrew } from './world/wire-crew.ts'

const key = 'sk-canary-71d0e5b2c9'

let fixture: Fixture
afterEach(() => fixture.remove())

const fileOf = () => join(fixture.folder, 'run.recording.json')
const recorded = async () => JSON.parse(await readFile(fileOf(), 'utf8'))

/** Plays the recording in a state that knows nothing of the Run. */
function replay(...args: readonly string[]): Promise<CommandResult> {
  const env = { ...fixture.env, DRYDOCK_HOME: join(fixture.folder, 'fresh') }
  return runHere([...args, '--model', `replay:${fileOf()}`, '--json', '--no-wait', '--repo', fixture.repo], env)
}

/** What each commit of a result holds, and what it was made for. */
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

describe('a crew', () => {
  /**
   * Two stories side by side, one sent back by its reviewer; a third that a human decides about.
   */
  const lanes: Lanes = {
    ...specLanes('alpha', 'beta', 'gamma'),
    ...greenStory('alpha'),
    ...greenStory('beta', 'first\n'),
    'architect/REQUEST/code/beta/1': [
      call('get_diff', { coder_id: '${coder_id}' }),
      needsChanges('Not this one.', [
        { severity: 'major', file: 'beta.txt', claim: 'beta.txt says first', evidence: 'beta.txt:1 at ${sha}' },
      ]),
    ],
    'editor/beta/CODING': [
      writing('beta.txt', 'first\n'),
      submit('beta'),
      writing('beta.txt', 'second, not ${coder_id} nor $5\n'),
      submit('beta'),
    ],
    'architect/REQUEST/code/beta/2': [
      call('get_diff', { coder_id: '${coder_id}', base: '${sha}' }),
      approve({ findings: [] }),
    ],
    'editor/gamma/PLANNING': greenStory('gamma')['editor/gamma/PLANNING'] ?? [],
    'architect/REQUEST/plan/gamma/1': [reject('Nobody wants it.')],
  }

  test('is recorded with its humans and its merges, and replayed to the same commits without a request', async () => {
    fixture = await createCrewFixture()
    const wire = await startWireCrew(fixture, lanes)
    onTestFinished(() => wire.close())
    const spec = 'Make the files'
    const waiting = await fixture.drydock(
      'run',
      spec,
      '--model',
      wire.model,
      '--json',
      '--no-wait',
      '--record',
      fileOf(),
    )
    expect(waiting.exitCode, waiting.stderr).toBe(6)
    expect(Object.keys((await recorded()).lanes)).toContain('architect/REQUEST/plan/gamma/1')
    expect(await recorded()).not.toHaveProperty('human')

    const id = waiting.events.find(({ type }) => type === 'escalation')?.id
    await fixture.drydock('reply', String(id), 'skip')
    const done = await fixture.drydock('resume', '--json', '--no-wait', '--record', fileOf())
    expect(done.exitCode, done.stderr).toBe(3)
    expect(done.stderr).toMatch(/Recorded \d+ turns in .*run\.recording\.json/)
    const recording = await recorded()
    expect(recording).toMatchObject({ version: 1, human: [{ escalation: 1, reply: 'skip' }] })
    expect([...recording.merge_order].sort()).toEqual(['alpha', 'beta'])
    expect(recording.lanes['architect/REQUEST/code/beta/1'][0].calls).toEqual([
      { tool: 'get_diff', input: { coder_id: '${coder_id}' } },
    ])
    expect(JSON.stringify(recording.lanes['architect/REQUEST/code/beta/1'][1])).toContain('beta.txt:1 at ${sha}')
    expect(JSON.stringify(recording)).not.toMatch(/[0-9a-f]{40}|coder-00\d/)

    const asked = wire.heard.length
    const again = await replay('run', spec)
    expect(again.exitCode, again.stderr).toBe(3)
    expect(wire.heard.length).toBe(asked)
    expect(await commitsOf(again)).toEqual(await commitsOf(done))
    expect(resultOf(again)).toMatchObject({ status: resultOf(done).status, tokens: 0, cost_usd: 0 })
  })
})

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

  test('is recorded with what failed and what was invalid in its place, without the key, and replayed to the same tree', async () => {
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

  test('that is stopped with Ctrl-C is recorded as far as it came', async () => {
    let asked = (): void => {}
    const isAsked = new Promise<void>((resolve) => {
      asked = resolve
    })
    const server = await startWireServer((_, number) => {
      if (number === 1) return plan()
      asked()
      return { fault: 'hang' }
    })
    onTestFinished(() => server.close())
    fixture = await createFixture()
    await configureProvider({ kind: 'openai-compatible', baseURL: `${server.origin}/v1` })
    const args = ['task', 'say new', '--model', 'wire:coder', '--json', '--record', fileOf(), '--repo', fixture.repo]
    const running = launch(args, fixture)
    await isAsked
    running.child.kill('SIGINT')
    const { exitCode, stderr } = await running.ended
    expect({ exitCode, recorded: stderr.includes('Recorded 1 turn ') }).toEqual({ exitCode: 130, recorded: true })
    expect((await recorded()).lanes).toEqual({ 'editor/task/PLANNING': greenLanes['editor/task/PLANNING'] })
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
