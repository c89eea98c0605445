import { afterEach, beforeEach, expect, test } from 'vitest'
import type { WireTurn } from '../../wire/turn.ts'
import { wireKey } from '../../wire/wire-models.ts'
import { startWireServer, type WireServer } from '../../wire/wire-server.ts'
import { createFixture, type Fixture } from '../../world/fixture.ts'
import { change, plan, resultOf, write } from '../world/fixture.ts'

const model = 'anthropic:claude-sonnet-4-5'
const usage = { input: 1_000, output: 100 }
const ready: WireTurn = { calls: [{ tool: 'ready', input: { ok: true } }], usage: { input: 100, output: 10 } }
const prose: WireTurn = { text: 'Sure, I can do that!', usage: { input: 100, output: 10 } }
const task = (): readonly WireTurn[] => [plan(), write('new\n'), change()].map((turn): WireTurn => ({ ...turn, usage }))

let turns: readonly WireTurn[]
let server: WireServer
let fixture: Fixture
beforeEach(async () => {
  server = await startWireServer((_, number) => turns[number - 1] ?? { refusal: { status: 400 } })
  const env = { ANTHROPIC_API_KEY: wireKey, ANTHROPIC_BASE_URL: server.origin, DRYDOCK_MODEL_TRIAL: 'on' }
  fixture = await createFixture({ env })
})
afterEach(async () => {
  await server.close()
  await fixture.remove()
})

const start = (...more: readonly string[]) => fixture.drydock('task', 'say new', '--model', model, '--json', ...more)

test('a model is tried once before its first use, in the budget, and not by later runs', async () => {
  turns = [ready, ...task(), ...task()]
  const first = await start()
  const tried = 100 * 3 + 10 * 15
  const each = 1_000 * 3 + 100 * 15
  expect(resultOf(first), first.stderr).toMatchObject({
    status: 'DONE',
    cost_usd: expect.closeTo((tried + 3 * each) / 1e6, 5),
  })
  expect(first.events.filter(({ type }) => type === 'model_tried')).toMatchObject([{ model, calls: 'yes' }])
  expect(server.requests.map(({ body }) => body.tools.length > 1)).toEqual([false, true, true, true])
  await start()
  expect(server.requests).toHaveLength(7)
})

test('a model that calls no tool ends the start with exit code 2 after two small requests', async () => {
  turns = [prose, prose]
  const ended = await start()
  expect({ exitCode: ended.exitCode, asked: server.requests.length }).toEqual({ exitCode: 2, asked: 2 })
  expect(ended.stdout + ended.stderr).toContain('called no tool in two tries')
  expect(server.requests.map(({ raw }) => raw.length < 1_500)).toEqual([true, true])
})

test('a weak model continues with a warning', async () => {
  turns = [{ ...ready, usage: {} }, ...task()]
  const done = await fixture.drydock('task', 'say new', '--model', model)
  expect(done.exitCode, done.stderr).toBe(0)
  expect(done.stdout + done.stderr).toContain('reports no usage')
})

test('a provider that is full at the trial is waited for as at any request', async () => {
  turns = [{ error: { kind: 'rate_limited', retryAfterMs: 1 } }, ready, ...task()]
  expect(resultOf(await start())).toMatchObject({ status: 'DONE' })
})

test('a trial that exceeds the budget is skipped', async () => {
  turns = []
  expect((await start('--budget-usd', '0')).exitCode).not.toBe(0)
  expect(server.requests).toEqual([])
})
