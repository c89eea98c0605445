import { afterEach, beforeEach, expect, test } from 'vitest'
import type { WireTurn } from '../../wire/turn.ts'
import { wireKey } from '../../wire/wire-models.ts'
import { startWireServer, type WireServer } from '../../wire/wire-server.ts'
import { createFixture, type Fixture } from '../../world/fixture.ts'

const model = 'anthropic:claude-sonnet-4-5'
const usage = { input: 100, output: 10 }

let turns: WireTurn[]
let server: WireServer
let fixture: Fixture
beforeEach(async () => {
  server = await startWireServer(({ dialect }) => (dialect && turns.shift()) || { refusal: { status: 404 } })
  const env = { ANTHROPIC_API_KEY: wireKey, ANTHROPIC_BASE_URL: server.origin, DRYDOCK_MODEL_TRIAL: 'on' }
  fixture = await createFixture({ env })
})
afterEach(async () => {
  await server.close()
  await fixture.remove()
})

test('doctor tries a model that is named, says what it found, and asks again only after a day', async () => {
  turns = [{ calls: [{ tool: 'ready', input: { ok: true } }], usage }]
  for (let i = 0; i < 2; i += 1) {
    const { stdout } = await fixture.drydock('doctor', '--model', model)
    expect(stdout).toMatch(
      /trial +anthropic:claude-sonnet-4-5 calls tools, reports usage and ends its streams;.*tried 2/,
    )
  }
  expect(server.requests.filter(({ dialect }) => dialect !== null)).toHaveLength(1)
})

test('doctor says of a model without tools that no agent can work with it', async () => {
  turns = [1, 2].map(() => ({ text: 'I am ready.', usage }))
  const { exitCode, stdout } = await fixture.drydock('doctor', '--model', model)
  expect(stdout).toMatch(/MISSING trial +.*called no tool in two tries[\s\S]*No agent can work with this model/)
  expect(exitCode).not.toBe(0)
})

test('doctor without a model named asks no model', async () => {
  turns = []
  await fixture.drydock('doctor')
  expect(server.requests.filter(({ dialect }) => dialect !== null)).toEqual([])
})
