import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { WireTurn } from '../../wire/turn.ts'
import { startWireServer, type WireServer } from '../../wire/wire-server.ts'
import { createFixture, type Fixture } from '../../world/fixture.ts'
import { change, plan, resultOf, write } from '../world/fixture.ts'

let turns: readonly WireTurn[]
let server: WireServer
let fixture: Fixture
beforeEach(async () => {
  server = await startWireServer((_, number) => turns[number - 1] ?? { refusal: { status: 400 } })
  fixture = await createFixture()
  const folder = join(fixture.folder, 'config', 'drydock')
  await mkdir(folder, { recursive: true })
  const config = {
    providers: { mine: { kind: 'openai-compatible', baseURL: `${server.origin}/v1` } },
    budget: { story_tokens: 100_000 },
  }
  await writeFile(join(folder, 'config.json'), JSON.stringify(config))
})
afterEach(async () => {
  await server.close()
  await fixture.remove()
})

const task = (usage: WireTurn['usage']) => [plan(), write('new\n'), change()].map((turn) => ({ ...turn, usage }))
const start = () => fixture.drydock('task', 'say new', '--model', 'mine:m', '--json')

test('a story on a model without a known price stops at its tokens, and continues after a raise', async () => {
  turns = task({ input: 60_000, output: 1_000 }) as WireTurn[]
  const paused = await start()
  expect({ exitCode: paused.exitCode, asked: server.requests.length }).toEqual({ exitCode: 7, asked: 2 })
  expect(paused.events.find(({ type }) => type === 'paused')).toMatchObject({ cap: 'story_tokens', limit: 100_000 })
  expect((await fixture.drydock('status')).stdout).toContain('--raise-tokens')
  await fixture.drydock('budget', '--raise-tokens', '400000')
  expect((await fixture.drydock('resume')).exitCode).toBe(0)
})

test('what comes from a cache does not count again', async () => {
  turns = task({ input: 60_000, output: 1_000, cacheRead: 55_000 }) as WireTurn[]
  expect(resultOf(await start())).toMatchObject({ status: 'DONE' })
})
