import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, type TestContext, test } from 'vitest'
import type { WireTurn } from '../../wire/turn.ts'
import { startWireServer, type WireRequest } from '../../wire/wire-server.ts'
import { freshFixture } from '../../world/fixture.ts'
import { type CommandResult, change, plan, resultOf, write } from '../world/fixture.ts'

const green = { planning: [plan()], coding: [write('new\n'), change()] }

function scripted({ body }: WireRequest): WireTurn {
  const names: string[] = body.tools.map((tool: { function: { name: string } }) => tool.function.name)
  const turn = body.messages.filter(({ role }: { role: string }) => role === 'assistant').length
  const turns: readonly WireTurn[] = names.includes('submit_plan') ? green.planning : green.coding
  return turns[turn] ?? { refusal: { status: 400, body: `no turn ${turn}` } }
}

interface Crew {
  /** The first model's answers to its requests, by number; null for a regular reply. */
  readonly first: (number: number, request: WireRequest) => WireTurn | null
  readonly second?: (number: number) => WireTurn | null
  readonly config?: object
}

/** A user with two models for the editor: `one:m`, and `two:n` during its outages. */
async function twoModels(
  { first, second = () => null, config = {} }: Crew,
  context: Pick<TestContext, 'onTestFinished'>,
) {
  const servers = await Promise.all([
    startWireServer((request, number) => first(number, request) ?? scripted(request)),
    startWireServer((request, number) => second(number) ?? scripted(request)),
  ])
  context.onTestFinished(async () => void (await Promise.all(servers.map((server) => server.close()))))
  const [one, two] = servers
  const fixture = await freshFixture(context.onTestFinished)
  const folder = join(fixture.folder, 'config', 'drydock')
  await mkdir(folder, { recursive: true })
  const providers = {
    one: { kind: 'openai-compatible', baseURL: `${one.origin}/v1` },
    two: { kind: 'openai-compatible', baseURL: `${two.origin}/v1` },
  }
  const models = { default: 'one:m', editor: ['one:m', { model: 'two:n', effort: 'low' }] }
  await writeFile(join(folder, 'config.json'), JSON.stringify({ models, providers, ...config }))
  return { fixture, one, two }
}

const shown = ({ events }: CommandResult, type: string) => events.filter((event) => event.type === type)

const noCredit: WireTurn = {
  refusal: { status: 402, body: '{"error":{"message":"Insufficient credits","code":402}}' },
}
const busy: WireTurn = { refusal: { status: 503, body: 'busy' } }

describe.concurrent('an editor with two models', () => {
  test('continues with the second when the quota of the first is used up in the middle of its work', async (context) => {
    // The plan is done; the coder has written when its provider requires payment.
    const { fixture, one, two } = await twoModels({ first: (number) => (number > 2 ? noCredit : null) }, context)
    const done = await fixture.drydock('task', 'say new', '--json')
    expect(done.exitCode, done.stderr).toBe(0)
    expect(resultOf(done)).toMatchObject({ status: 'DONE' })
    expect([one.requests.length, two.requests.length]).toEqual([3, 1])
    expect(two.requests[0]?.body).toMatchObject({ model: 'n', reasoning_effort: 'low' })
    expect(two.requests[0]?.raw).toContain('write_file')
    expect(shown(done, 'model_replaced')).toMatchObject([
      { lane: 'editor/task/CODING', from: 'one:m', to: 'two:n#low', reason: expect.stringContaining('402') },
    ])
    const report = await fixture.drydock('report')
    expect(report.stdout).toMatch(/Model: one:m was out since .*402.*; two:n#low took its place/)
    const log = await fixture.drydock('log')
    expect(log.stdout).toContain('two:n#low instead of one:m')
  })

  test('starts new conversations with the second while the first is out, also in another process', async (context) => {
    const { fixture, one, two } = await twoModels(
      { first: () => noCredit, second: (number) => (number === 1 ? { refusal: { status: 401, body: 'no' } } : null) },
      context,
    )
    const stopped = await fixture.drydock('task', 'say new', '--json')
    expect(resultOf(stopped)).toMatchObject({ status: 'ERROR', error: { code: 'model_refused' } })
    const status = await fixture.drydock('status')
    expect(status.stdout.replaceAll(/\s+/g, ' ')).toContain('two:n#low took its place')
    const done = await fixture.drydock('resume', '--json')
    expect(done.exitCode, done.stderr).toBe(0)
    // The planner met the outage; the coder started with the second model.
    expect([one.requests.length, two.requests.length]).toEqual([1, 4])
    expect([...shown(stopped, 'model_replaced'), ...shown(done, 'model_replaced')]).toHaveLength(1)
  })

  test('continues with the second when the first has not answered for the time that the user allows', async (context) => {
    const { fixture, one, two } = await twoModels(
      { first: (number) => (number > 1 ? busy : null), config: { model_fallback: { after_sec: 1 } } },
      context,
    )
    const done = await fixture.drydock('task', 'say new', '--json')
    expect(done.exitCode, done.stderr).toBe(0)
    expect(one.requests.length).toBeGreaterThanOrEqual(1 + 3)
    expect(two.requests).toHaveLength(2)
    const [suspended] = shown(done, 'suspended')
    const [replaced] = shown(done, 'model_replaced')
    expect(Date.parse(String(replaced?.at)) - Date.parse(String(suspended?.since))).toBeGreaterThanOrEqual(1_000)
  })

  test('stops as before when the last of its models is out, too', async (context) => {
    const { fixture, one, two } = await twoModels({ first: () => noCredit, second: () => noCredit }, context)
    const stopped = await fixture.drydock('task', 'say new', '--json')
    expect(resultOf(stopped)).toMatchObject({ status: 'ERROR', error: { code: 'model_refused' } })
    expect([one.requests.length, two.requests.length]).toEqual([1, 1])
  })

  test('is told of an unknown provider in the list before anything is asked', async (context) => {
    const { fixture, one } = await twoModels({ first: () => null }, context)
    const refused = await fixture.drydock('task', 'say new', '--editor-model', 'one:m,three:x')
    expect(refused.exitCode).toBe(2)
    expect(refused.stderr).toContain('There is no model provider named "three"')
    expect(one.requests).toEqual([])
  })
})
