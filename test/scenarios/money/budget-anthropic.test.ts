import { afterEach, beforeEach, expect, test } from 'vitest'
import { estimateRequest } from '../../../src/agents/estimate-tokens.ts'
import type { Lane } from '../../../src/domain/lane/lane.ts'
import type { WireTurn } from '../../wire/turn.ts'
import { wireKey } from '../../wire/wire-models.ts'
import { startWireServer, type WireServer } from '../../wire/wire-server.ts'
import { createFixture, type Fixture } from '../../world/fixture.ts'
import { read } from '../world/crew-conversation.ts'
import { change, greenLanes, plan, resultOf, write } from '../world/fixture.ts'

const model = 'anthropic:claude-sonnet-4-5'
const usage = { input: 10_000, output: 1_000, cacheRead: 6_000, cacheWrite: 3_000 }
/** Dollars for 1,000 new tokens at 3 a million, 6,000 at 0.30, 3,000 at 3.75, and 1,000 at 15. */
const each = 0.003 + 0.0018 + 0.01125 + 0.015

let server: WireServer
let fixture: Fixture
beforeEach(async () => {
  const turns = [plan(), write('new\n'), change()].map((turn): WireTurn => ({ ...turn, usage }))
  server = await startWireServer((_, number) => turns[number - 1] ?? { refusal: { status: 400 } })
  fixture = await createFixture({ env: { ANTHROPIC_API_KEY: wireKey, ANTHROPIC_BASE_URL: server.origin } })
})
afterEach(async () => {
  await server.close()
  await fixture.remove()
})

test('a task on a model of the public list costs what its prices say', async () => {
  const done = await fixture.drydock('task', 'say new', '--model', model, '--json')
  expect(resultOf(done), done.stderr).toMatchObject({ status: 'DONE', cost_usd: expect.closeTo(3 * each, 5) })
  const calls = done.events.filter(({ type }) => type === 'model_call').map(({ cost_usd }) => cost_usd)
  expect(calls).toEqual([each, each, each].map((usd) => expect.closeTo(usd, 5)))
  expect((await fixture.drydock('report')).stdout).toContain('editor: $0.093, 3 calls, 30.0k tokens in (18.0k read')
})

test('a task for which there is no room asks nobody', async () => {
  // The longest reply alone costs 16,384 at 15 a million.
  const paused = await fixture.drydock('task', 'say new', '--model', model, '--budget-usd', '0.24', '--json')
  expect({ exitCode: paused.exitCode, status: resultOf(paused).status }).toEqual({ exitCode: 7, status: 'PAUSED' })
  expect(server.requests).toEqual([])
})

test('the estimate of a request is near its actual size', async () => {
  await fixture.drydock('task', 'say new', '--model', model, '--json')
  const [request] = server.requests
  await read(fixture, async (records) => {
    const lanes = (await records.machines({ kind: 'lane' })) as readonly Lane[]
    const [lane] = lanes
    const [first] = await records.messages(lane?.id ?? '')
    if (!lane || !first || !request) throw new Error('nobody was asked')
    const estimate = estimateRequest({ ...lane.data, measured: null }, [first])
    // A token is 3 to 5 characters of English and JSON.
    expect(request.raw.length / estimate).toBeGreaterThan(2.5)
    expect(request.raw.length / estimate).toBeLessThan(5)
    // Once the provider has reported the conversation's tokens, its count is used.
    expect(lane.data.measured).toEqual({ tokens: 11_000, messages: 2 })
  })
})

test('a recording costs nothing, and needs no budget', async () => {
  const done = await fixture.drydock(
    'task',
    'say new',
    '--model',
    await fixture.replay(greenLanes),
    '--budget-usd',
    '0',
    '--json',
  )
  expect(resultOf(done), done.stderr).toMatchObject({ status: 'DONE', cost_usd: 0 })
  expect((await fixture.drydock('status')).stdout).toMatch(/DONE +0 +\$0 /)
})
