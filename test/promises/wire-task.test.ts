import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Conversation, conversationOf } from '../scenarios/world/conversation.ts'
import {
  type CommandResult,
  call,
  change,
  createFixture,
  type Fixture,
  plan,
  resultOf,
  write,
} from '../scenarios/world/fixture.ts'
import { buildReport } from '../scenarios/world/reports.ts'
import type { WireTurn } from '../wire/turn.ts'
import { startWireServer, type WireRequest, type WireServer } from '../wire/wire-server.ts'

const key = 'sk-canary-5f2b9c7e1a'
const planted = 'planted-canary-3d81'
const retryAfterSec = 2

const planning: readonly WireTurn[] = [
  {
    refusal: {
      status: 429,
      headers: { 'retry-after': String(retryAfterSec) },
      body: '{"error":{"message":"slow down"}}',
    },
  },
  { text: 'I look first.', ...call('read_file', { path: 'value.txt' }), usage: { input: 900, output: 40 } },
  { calls: [{ tool: 'read_file', input: {}, rawInput: '{"path": "val' }] },
  { calls: [{ tool: 'no_such_tool', input: {} }] },
  call('run_command', { command: 'env; cat /proc/self/environ /proc/1/environ; ls -a ..' }),
  call('ask_scout', { scout: 'build', question: 'how is it tested?' }),
  plan(),
]
const coding: readonly WireTurn[] = [
  { ...write('half\n'), fault: 'broken' },
  { ...write('new\n'), reasoning: 'It must say new.', usage: { input: 1_000, output: 50, cacheRead: 800 } },
  change(),
]
const scouting: readonly WireTurn[] = [call('read_file', { path: 'value.txt' }), call('submit_report', buildReport)]

let server: WireServer
let fixture: Fixture
let done: CommandResult
let conversation: Conversation
let times: number[]

type Lane = 'planning' | 'coding' | 'scouting'
const laneOf = ({ body }: WireRequest): Lane => {
  const names: string[] = body.tools.map((tool: { function: { name: string } }) => tool.function.name)
  return names.includes('submit_plan') ? 'planning' : names.includes('submit_change') ? 'coding' : 'scouting'
}
const requestsOf = (lane: Lane) => server.requests.filter((request) => laneOf(request) === lane)

/** One whole story, over the wire, on a model from the user's own file. */
beforeAll(async () => {
  const scripts = { planning, coding, scouting }
  times = []
  server = await startWireServer((request) => {
    times.push(Date.now())
    const lane = laneOf(request)
    return scripts[lane][requestsOf(lane).length - 1] ?? { refusal: { status: 500, body: 'the script has ended' } }
  })
  fixture = await createFixture({
    files: { '.env': `SECRET=${planted}\n` },
    env: { WIRE_KEY: key, OTHER_TOKEN: planted },
  })
  const folder = join(fixture.folder, 'config', 'drydock')
  await mkdir(folder, { recursive: true })
  const provider = { kind: 'openai-compatible', baseURL: `${server.origin}/v1`, apiKeyEnv: 'WIRE_KEY' }
  const config = { models: { default: 'local:coder-1' }, providers: { local: provider } }
  await writeFile(join(folder, 'config.json'), JSON.stringify(config))
  done = await fixture.drydock('task', 'say new', '--json')
  expect(done.exitCode, done.stderr).toBe(0)
  conversation = conversationOf(fixture, done)
})
afterAll(async () => {
  await server.close()
  await fixture.remove()
})

describe('a task over the wire', () => {
  test('ends with a verified branch, whatever went wrong on the way', async () => {
    expect(resultOf(done)).toMatchObject({ status: 'DONE', branch: 'drydock/say-new' })
    // Unknown usage of failed calls counts with its reservation.
    expect(Number(resultOf(done).tokens)).toBeGreaterThan(1_990)
    expect(await fixture.git('show', 'drydock/say-new:value.txt')).toBe('new')
  })

  test('waits as long as the provider asks, and asks again after a reply that broke off', async () => {
    const calls = done.events.filter(({ type, stop }) => type === 'model_call' && stop === 'error')
    expect(calls.map(({ lane, turn, error }) => ({ lane, turn, error: String(error).split(':')[0] }))).toEqual([
      { lane: 'editor/task/PLANNING', turn: 0, error: 'rate_limited' },
      { lane: 'editor/task/CODING', turn: 0, error: 'interrupted' },
    ])
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(retryAfterSec * 1_000)
    const writes = await conversation.results('editor/task/CODING')
    expect(writes.map(({ output }) => output)).toEqual(['Replaced value.txt.'])
  })

  test('tells the model of broken JSON and of tools that there are not', async () => {
    const [, broken, unknown] = await conversation.results('editor/task/PLANNING')
    expect(broken).toMatchObject({ ok: false, output: expect.stringMatching(/^The call could not be read: /) })
    expect(unknown).toMatchObject({ ok: false, output: expect.stringContaining('no tool `no_such_tool`') })
  })

  test('sends the same bytes again in every request of a lane, and only adds to them', () => {
    for (const lane of ['planning', 'coding', 'scouting'] as const) {
      const requests = requestsOf(lane)
      expect(requests.length).toBeGreaterThanOrEqual(2)
      for (const [i, request] of requests.slice(1).entries()) {
        const before = requests[i] as WireRequest
        const { messages: earlier, ...restBefore } = before.body
        const { messages, ...rest } = request.body
        expect(JSON.stringify(rest)).toBe(JSON.stringify(restBefore))
        expect(JSON.stringify(messages).startsWith(JSON.stringify(earlier).slice(0, -1))).toBe(true)
        const head = before.raw.indexOf(JSON.stringify(earlier).slice(0, -1))
        expect(head).toBeGreaterThan(0)
        const length = head + JSON.stringify(earlier).length - 1
        expect(request.raw.slice(0, length)).toBe(before.raw.slice(0, length))
      }
    }
  })

  test('never sends, shows or stores a key', async () => {
    expect(server.requests.every(({ headers }) => headers.authorization === `Bearer ${key}`)).toBe(true)
    for (const { raw } of server.requests) {
      expect(raw).not.toContain(key)
      expect(raw).not.toContain(planted)
    }
    expect(done.stdout + done.stderr).not.toContain(key)
    const { state } = await fixture.open()
    for (const name of await readdir(state, { recursive: true, withFileTypes: true })) {
      if (!name.isFile()) continue
      const content = await readFile(join(name.parentPath, name.name))
      expect(content.includes(key), join(name.parentPath, name.name)).toBe(false)
    }
  })

  test('describes each tool in a schema that every provider takes', () => {
    const known = new Set(['type', 'properties', 'required', 'additionalProperties', 'items', 'enum', 'anyOf'])
    const bounds = [
      'description',
      'minLength',
      'maxLength',
      'minItems',
      'maxItems',
      'minimum',
      'maximum',
      'propertyNames',
    ]
    const allowed = new Set([...known, ...bounds])
    const check = (schema: Readonly<Record<string, unknown>>, place: string) => {
      for (const word of Object.keys(schema)) expect(allowed.has(word), `${place}: ${word}`).toBe(true)
      for (const [name, inner] of Object.entries((schema.properties ?? {}) as Record<string, never>))
        check(inner, `${place}.${name}`)
      for (const inner of [schema.items, schema.additionalProperties, ...((schema.anyOf ?? []) as object[])])
        if (typeof inner === 'object' && inner !== null) check(inner as Record<string, unknown>, place)
    }
    const tools = [...new Map(server.requests.map((request) => [laneOf(request), request.body.tools])).values()].flat()
    expect(tools.length).toBe(10 + 17 + 4)
    for (const { type, function: tool } of tools) {
      expect(type).toBe('function')
      expect(tool.name).toMatch(/^[a-z_]{1,64}$/)
      expect(tool.description.length).toBeGreaterThan(10)
      expect(tool.parameters).toMatchObject({ type: 'object', properties: expect.anything() })
      check(tool.parameters, tool.name)
    }
  })
})
