import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, type TestContext, test } from 'vitest'
import { limits } from '../../../src/domain/limits.ts'
import type { WireTurn } from '../../wire/turn.ts'
import { startWireServer, type WireRequest } from '../../wire/wire-server.ts'
import { createCrewFixture, type Fixture, freshFixture } from '../../world/fixture.ts'
import { conversationOf } from '../world/conversation.ts'
import { greenStory, specLanes } from '../world/crew.ts'
import { type CommandResult, call, change, plan, resultOf, type Turns, write } from '../world/fixture.ts'
import { buildReport } from '../world/reports.ts'
import { startWireCrew } from '../world/wire-crew.ts'

type Lane = 'planning' | 'coding' | 'scouting'

interface Outage {
  /** The lane whose first request meets the outage. */
  readonly lane?: Lane
  /** The length of the outage in requests, and the answer to each of them, by its number from 1. */
  readonly requests: number
  readonly answer: (number: number) => WireTurn
  readonly turns?: Partial<Record<Lane, Turns>>
}

const green: Record<Lane, Turns> = { planning: [plan()], coding: [write('new\n'), change()], scouting: [] }

function laneOf({ body }: WireRequest): Lane {
  const names: string[] = body.tools.map((tool: { function: { name: string } }) => tool.function.name)
  return names.includes('submit_plan') ? 'planning' : names.includes('submit_change') ? 'coding' : 'scouting'
}

/** A provider with an outage of this many requests, and a user's configuration that names it. */
async function outage(
  { lane = 'coding', requests, answer, turns = {} }: Outage,
  context: Pick<TestContext, 'onTestFinished'>,
) {
  const times: number[] = []
  const server = await startWireServer((request) => {
    const asked = laneOf(request)
    if (asked === lane && times.length < requests) return answer(times.push(Date.now()))
    const turn = request.body.messages.filter(({ role }: { role: string }) => role === 'assistant').length
    return { ...green, ...turns }[asked][turn] ?? { refusal: { status: 400, body: `no turn ${turn} of ${asked}` } }
  })
  context.onTestFinished(() => server.close())
  const fixture = await freshFixture(context.onTestFinished)
  const folder = join(fixture.folder, 'config', 'drydock')
  await mkdir(folder, { recursive: true })
  const config = {
    models: { default: 'local:coder-1' },
    model_timeouts: { first_byte_sec: 4, idle_sec: 4 },
    providers: { local: { kind: 'openai-compatible', baseURL: `${server.origin}/v1` } },
  }
  await writeFile(join(folder, 'config.json'), JSON.stringify(config))
  return { server, fixture, times }
}

const say = (fixture: Fixture) => fixture.drydock('task', 'say new', '--json')

const shown = ({ events }: CommandResult, type: string) => events.filter((event) => event.type === type)

const failed = (done: CommandResult) => shown(done, 'model_call').filter(({ stop }) => stop === 'error')

const refusal = (status: number, headers = {}): WireTurn => ({ refusal: { status, headers, body: 'oops' } })

describe.concurrent('a provider that answers nobody for a while', () => {
  const { failures, firstPauseMs } = limits.provider

  const bad = write('bad\n')
  const cutJson = { status: 200, headers: { 'content-type': 'text/event-stream' }, body: 'data: {"id":"1","choi' }

  test.for<readonly (readonly [error: string, WireTurn])[]>([
    [
      ['overloaded: local answered 500', refusal(500)],
      ['timeout: local took over 4 s to send the first byte', { fault: 'hang' }],
      ['network: local', { fault: 'reset' }],
      ['overloaded: local answered 529', refusal(529)],
    ],
    [
      ['interrupted: local', { ...bad, fault: 'broken' }],
      ['timeout: local took over 4 s to send the next byte', { ...bad, fault: 'idle' }],
      // After three of these in a row a human would be asked.
      [
        'overloaded: local ended its reply with the error 500: it broke in the middle',
        { ...bad, fault: 'error_event' },
      ],
      ['interrupted: local', { ...bad, fault: 'no_end' }],
    ],
    [
      ['interrupted: local', { refusal: cutJson }],
      ['overloaded: local answered 503', refusal(503, { 'retry-after': '1' })],
      ['rate_limited: local answered 429', refusal(429)],
      ['rate_limited: local answered 429', refusal(429, { 'retry-after': '2' })],
    ],
  ])('and fails in its own ways (%#) pauses a task, which is done when it is back', async (faults, context) => {
    const answer = (number: number) => faults[number - 1]?.[1] ?? refusal(500)
    const { server, fixture, times } = await outage({ requests: 4, answer }, context)
    const done = await say(fixture)
    expect(done.exitCode, done.stderr).toBe(0)
    expect(resultOf(done)).toMatchObject({ status: 'DONE', branch: 'drydock/say-new' })
    expect(await fixture.git('show', 'drydock/say-new:value.txt')).toBe('new')
    expect(server.requests.map(laneOf)).toEqual(['planning', ...Array(4 + 2).fill('coding')])
    const errors = faults.map(([error]) => ({ lane: 'editor/task/CODING', error: expect.stringContaining(error) }))
    expect(failed(done)).toMatchObject(errors)
    // The breaker opens after the third failure: only the fourth request tries, and then the
    // successful one.
    const [third = 0, fourth = 0] = times.slice(failures - 1)
    expect(fourth - third).toBeGreaterThanOrEqual(firstPauseMs / 2)
    const [resumed, ...others] = shown(done, 'resumed')
    expect(Date.parse(String(resumed?.at)) - fourth).toBeGreaterThanOrEqual(firstPauseMs)
    const reason = (faults[failures - 1]?.[0] ?? '').replace(/^\w+: /, '')
    expect(shown(done, 'suspended')).toMatchObject([
      { story: 'task', lane: 'editor/task/CODING', reason: expect.stringContaining(reason) },
    ])
    expect(others).toEqual([])
    const lane = await conversationOf(fixture, done).messages('editor/task/CODING')
    expect(lane.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
  })

  test('and says when to come back is not asked before', async (context) => {
    const asked = limits.quietWaitMs / 1_000 + 1
    const answer = () => refusal(429, { 'retry-after': String(asked) })
    const { server, fixture, times } = await outage({ requests: 1, answer }, context)
    const done = await say(fixture)
    expect(resultOf(done), done.stderr).toMatchObject({ status: 'DONE' })
    expect(server.requests).toHaveLength(1 + 1 + 2)
    const [suspended] = shown(done, 'suspended')
    expect(Date.parse(String(suspended?.until)) - (times[0] ?? 0)).toBeGreaterThanOrEqual(asked * 1_000)
    expect(Date.parse(String(shown(done, 'resumed')[0]?.at))).toBeGreaterThanOrEqual(
      Date.parse(String(suspended?.until)),
    )
  })

  test('uses no try of a scout up', async (context) => {
    const turns = {
      planning: [call('ask_scout', { scout: 'build', question: 'how?' }), plan()],
      scouting: [call('submit_report', buildReport)],
    }
    const lane = 'scouting'
    const { server, fixture } = await outage({ lane, requests: 4, answer: () => refusal(500), turns }, context)
    const done = await say(fixture)
    expect(resultOf(done), done.stderr).toMatchObject({ status: 'DONE' })
    expect(shown(done, 'scout')).toMatchObject([{ state: 'ASKED' }, { state: 'ANSWERED', query: 1, try: 1 }])
    expect(server.requests.filter((request) => laneOf(request) === lane)).toHaveLength(5)
  })

  test('and then refuses the key stops the run', async (context) => {
    const answer = (number: number) => refusal(number <= failures ? 500 : 401)
    const { server, fixture } = await outage({ requests: failures + 1, answer }, context)
    const done = await say(fixture)
    expect(done.exitCode).toBe(2)
    expect(resultOf(done)).toMatchObject({ status: 'ERROR', error: { code: 'model_refused' } })
    expect(server.requests).toHaveLength(1 + failures + 1)
    const resumed = await fixture.drydock('resume', '--json')
    expect(resultOf(resumed), resumed.stderr).toMatchObject({ status: 'DONE' })
  })
})

test.concurrent('a crew is paused as one, and its stories are merged when the provider is back', async ({
  onTestFinished,
}) => {
  const fixture = await createCrewFixture()
  onTestFinished(() => fixture.remove())
  const refused: { readonly lane: string; readonly at: number }[] = []
  const lanes = { ...specLanes('a', 'b'), ...greenStory('a'), ...greenStory('b') }
  const crew = await startWireCrew(fixture, lanes, ({ lane }) => {
    if (!lane.endsWith('/CODING') && refused.length === 0) return null
    if (refused.length >= 5) return null
    refused.push({ lane, at: Date.now() })
    return { error: { kind: 'overloaded', message: 'too many ships' } }
  })
  onTestFinished(() => crew.close())
  const done = await fixture.drydock('run', 'Make the files', '--model', crew.model, '--json', '--max-coders', '2')
  expect(done.exitCode, done.stderr).toBe(0)
  expect(resultOf(done)).toMatchObject({ status: 'DONE', stories: [{ state: 'DONE' }, { state: 'DONE' }] })
  const turns = Object.values(lanes).reduce((sum, lane) => sum + lane.length, 0)
  expect(crew.heard).toHaveLength(turns + refused.length)
  expect(failed(done)).toHaveLength(refused.length)
  // One more request may have been running when the third failure opened the breaker; the last one
  // has waited for the pause in any case.
  const [beforeLast = 0, last = 0] = refused.slice(-2).map(({ at }) => at)
  expect(last - beforeLast).toBeGreaterThanOrEqual(limits.provider.firstPauseMs / 2)
  const paused = shown(done, 'suspended').map(({ lane }) => lane)
  expect(new Set(paused).size).toBe(paused.length)
  expect(
    shown(done, 'resumed')
      .map(({ lane }) => lane)
      .sort(),
  ).toEqual(paused.sort())
})

describe.concurrent('a provider that has answered nothing yet in a run', () => {
  const page: WireTurn = { refusal: { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>Hi</html>' } }
  const missing: WireTurn = { refusal: { status: 404, body: 'no such path' } }

  async function configured(baseURL: string, context: Pick<TestContext, 'onTestFinished'>) {
    const fixture = await freshFixture(context.onTestFinished)
    const folder = join(fixture.folder, 'config', 'drydock')
    await mkdir(folder, { recursive: true })
    const config = {
      models: { default: 'local:coder-1' },
      providers: { local: { kind: 'openai-compatible', baseURL } },
    }
    await writeFile(join(folder, 'config.json'), JSON.stringify(config))
    return fixture
  }

  function expectGivenUp(done: CommandResult, todo: string) {
    expect(done.exitCode, done.stderr).toBe(4)
    expect(resultOf(done)).toMatchObject({
      status: 'ERROR',
      error: { code: 'provider_unreachable', todo: expect.stringContaining(todo) },
    })
    expect(shown(done, 'suspended')).toEqual([])
  }

  test.for<readonly [string, WireTurn, number]>([
    ['a page', page, 1],
    ['a path that is not there', missing, 1],
    ['a connection that breaks', { fault: 'reset' }, limits.firstTries],
  ])('and answers with %s is given up, and the run goes on once it is mended', async ([, turn, tries], context) => {
    const outageOf = { lane: 'planning', requests: tries, answer: () => turn } as const
    const { server, fixture } = await outage(outageOf, context)
    const done = await say(fixture)
    const correct = turn.fault ? 'Start the server at' : 'Correct the base URL'
    expectGivenUp(done, `${correct} ${server.origin}/v1`)
    expect(server.requests).toHaveLength(tries)
    expect(resultOf(await fixture.drydock('resume', '--json'))).toMatchObject({ status: 'DONE' })
  })

  test.for([
    ['http://127.0.0.1:1/v1', 'Start the server at http://127.0.0.1:1/v1'],
    ['http://nobody.invalid/v1', '"baseURL" of providers.local'],
  ] as const)('and is not there (%s) is given up', async ([baseURL, todo], context) => {
    const done = await say(await configured(baseURL, context))
    expectGivenUp(done, todo)
    expect(failed(done)).toHaveLength(limits.firstTries)
    // A repeated failure is one line.
    expect(done.stderr).not.toMatch(/model: (.*)[\s\S]*model: \1/)
  })

  test('is said by name to start when it is Ollama', async (context) => {
    const fixture = await freshFixture(context.onTestFinished, { env: { OLLAMA_HOST: '127.0.0.1:1' } })
    const done = await fixture.drydock('task', 'say new', '--json', '--model', 'ollama:qwen3')
    expectGivenUp(done, 'ollama serve')
  })
})

test.concurrent('a provider is waited for as long as is said, and then the run stops until it is resumed', async (context) => {
  const { server, fixture } = await outage({ requests: 8, answer: () => refusal(500) }, context)
  const stopped = await fixture.drydock('task', 'say new', '--json', '--max-wait', '1s')
  expect(stopped.exitCode, stopped.stderr).toBe(4)
  expect(resultOf(stopped)).toMatchObject({
    error: { code: 'provider_unreachable', message: expect.stringContaining('(waited for 1 s)') },
  })
  expect(server.requests.length).toBeLessThan(8)
  const done = await fixture.drydock('resume', '--json', '--max-wait', '10m')
  expect(resultOf(done), done.stderr).toMatchObject({ status: 'DONE' })
})

test.concurrent('a key that is refused names its variable', async (context) => {
  const fixture = await freshFixture(context.onTestFinished, { env: { HOUSE_KEY: 'sk-house-0001' } })
  const server = await startWireServer(() => refusal(401))
  context.onTestFinished(() => server.close())
  const folder = join(fixture.folder, 'config', 'drydock')
  await mkdir(folder, { recursive: true })
  const house = { kind: 'openai-compatible', baseURL: `${server.origin}/v1`, apiKeyEnv: 'HOUSE_KEY' }
  await writeFile(join(folder, 'config.json'), JSON.stringify({ providers: { house } }))
  const done = await fixture.drydock('task', 'say new', '--json', '--model', 'house:a')
  expect(done.exitCode).toBe(2)
  expect(resultOf(done)).toMatchObject({ error: { todo: 'Put a valid key into HOUSE_KEY, then run: drydock resume' } })
})

test('a waiting lane is shown as waiting, and a new process simply asks', async (context) => {
  const answer = () => refusal(429, { 'retry-after': '3600' })
  const { server, fixture } = await outage({ requests: 1, answer }, context)
  const running = fixture.launch(['task', 'say new', '--json'])
  await running.line(/"type":"suspended"/)
  expect((await fixture.drydock('status', '--json')).events[0]).toMatchObject({
    state: 'MONITORING',
    paused: { reason: 'local answered 429: oops', until: expect.stringMatching(/Z$/), lanes: 1 },
  })
  const { stdout } = await fixture.drydock('status')
  expect(stdout).toMatch(/ is PAUSED: local answered 429: .*; next try .*\d\d:\d\d:\d\d$/m)
  running.kill('SIGKILL')
  await running.ended
  const done = await fixture.drydock('resume', '--json')
  expect(resultOf(done), done.stderr).toMatchObject({ status: 'DONE' })
  expect(server.requests).toHaveLength(1 + 1 + 2)
})

test('a waiting run can be cancelled', async (context) => {
  const answer = () => refusal(429, { 'retry-after': '86400000' })
  const { fixture } = await outage({ requests: 1, answer }, context)
  const running = fixture.launch(['task', 'say new', '--json'])
  await running.line(/"type":"suspended"/)
  expect((await fixture.drydock('cancel')).exitCode).toBe(5)
  expect(await running.ended).toMatchObject({ exitCode: 5 })
})
