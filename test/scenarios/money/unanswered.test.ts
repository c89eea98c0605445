import { afterEach, beforeEach, expect, test } from 'vitest'
import type { WireTurn } from '../../wire/turn.ts'
import { wireKey } from '../../wire/wire-models.ts'
import { startWireServer, type WireServer } from '../../wire/wire-server.ts'
import { createFixture, type Fixture } from '../../world/fixture.ts'
import { change, plan, resultOf, write } from '../world/fixture.ts'

const model = 'anthropic:claude-sonnet-4-5'
const usage = { input: 1_000, output: 100 }
const counted = (turn: WireTurn): WireTurn => ({ ...turn, usage })
const broken: WireTurn = { ...write('new\n'), fault: 'no_end' }

let turns: readonly WireTurn[]
let server: WireServer
let fixture: Fixture
beforeEach(async () => {
  server = await startWireServer((_, number) => turns[number - 1] ?? { refusal: { status: 400 } })
  fixture = await createFixture({ env: { ANTHROPIC_API_KEY: wireKey, ANTHROPIC_BASE_URL: server.origin } })
})
afterEach(async () => {
  await server.close()
  await fixture.remove()
})

test('a call that got no whole answer is shown as maybe charged', async () => {
  turns = [counted(plan()), broken, counted(write('new\n')), counted(change())]
  const done = await fixture.drydock('task', 'say new', '--model', model, '--json')
  const { run } = resultOf(done) as { readonly run?: string }
  const told = await fixture.drydock('budget', String(run))
  expect(told.stdout).toMatch(/Maybe charged: at most \$0\.\d+ and [\d.]+k tokens, for calls that got no whole answer/)
  const { events } = await fixture.drydock('budget', String(run), '--json')
  expect(events[0]).toMatchObject({ maybe_charged: { usd: expect.closeTo(0.26, 1) } })
})

test('a server without usage: tokens are estimated, which is said once, and little is spent', async () => {
  turns = [plan(), write('new\n'), change()]
  const done = await fixture.drydock('task', 'say new', '--model', model)
  expect(done.exitCode, done.stderr).toBe(0)
  expect((done.stdout + done.stderr).match(/reports no usage/g)).toHaveLength(1)
  const { events } = await fixture.drydock('report', '--json')
  expect(JSON.stringify(events)).toMatch(/"cost_usd":0\.0\d/)
})
