import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { type Choices, choicesSchema } from '../../src/api/choices.ts'
import { routes } from '../../src/api/routes.ts'
import { greenLanes } from '../scenarios/world/fixture.ts'
import { bareHub } from './bare-hub.ts'
import { ask } from './browser.ts'
import { servedOf } from './memory-served.ts'
import { createMemoryWorld } from './memory-server.ts'

/** A server of models that only says which it has, and refuses another key. */
async function modelServer(models: readonly string[] | null): Promise<string> {
  const server = createServer(({ headers }, response) => {
    response.writeHead(headers.authorization === 'Bearer right' ? 200 : 401, { 'content-type': 'application/json' })
    response.end(JSON.stringify(models === null ? {} : { data: models.map((id) => ({ id })) }))
  })
  onTestFinished(() => void server.close())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
}

const kind = 'openai-compatible'

test('whoever starts work chooses among what is there: branches of git, models of providers that answer, agents', async () => {
  const baseURL = await modelServer(['small', 'large'])
  const silent = await modelServer(null)
  const world = await createMemoryWorld({
    env: { RIGHT: 'right', WRONG: 'wrong' },
    user: () => ({
      models: { default: 'team:large' },
      providers: {
        team: { kind, baseURL, apiKeyEnv: 'RIGHT' },
        shut: { kind, baseURL, apiKeyEnv: 'WRONG' },
        plain: { kind, baseURL: silent, apiKeyEnv: 'RIGHT' },
      },
      agents: { mine: { command: ['/nowhere/mine'], provider: 'team', model: 'large' } },
    }),
  })
  onTestFinished(() => world.close())
  await world.fixture.git('branch', 'drydock/old')
  await world.fixture.git('branch', 'feature')
  const { page } = await servedOf(world)
  const choices = choicesSchema.parse(await page.get<Choices>('/api/choices'))
  expect(choices).toMatchObject({
    start: 'main',
    gate_problem: null,
    branches: ['feature', 'main', 'drydock/old'],
    configured: ['team:large'],
    configured_problem: null,
    gate: { source: '.drydock/config.json', steps: ['test'] },
    models: ['team:large', 'team:small'].map((name) => ({ name, provider: 'team' })),
    providers: [
      { name: 'team', problem: null, unlisted: false },
      {
        name: 'shut',
        problem: { message: expect.stringContaining('refuses the key'), todo: expect.stringContaining('WRONG') },
      },
      { name: 'plain', problem: null, unlisted: true },
    ],
  })
  expect(choices.agents.find(({ name }) => name === 'agent:mine')).toMatchObject({
    problem: { message: 'mine cannot be started: /nowhere/mine is not on PATH.' },
  })
  expect(JSON.stringify(choices)).not.toMatch(/"(?:right|wrong)"/)
})

test('without a model, and from a recording, the choices say so', async () => {
  const world = await createMemoryWorld()
  onTestFinished(() => world.close())
  const { page } = await servedOf(world)
  expect(await page.get<Choices>('/api/choices')).toMatchObject({
    configured: null,
    configured_problem: { message: expect.stringContaining('No model is configured') },
    models: [],
  })
  const model = await world.fixture.replay(greenLanes)
  const played = await servedOf(world, { model })
  expect(await played.page.get<Choices>('/api/choices')).toMatchObject({ configured: [model], models: [] })
})

test('on a hub, who only reads is not told', async () => {
  const hub = await bareHub()
  expect(routes.choices.role).toBe('operator')
  const headers = { Authorization: `Bearer ${await hub.token('vi', 'viewer')}` }
  expect((await ask(hub.port, '/api/choices', { headers })).status).toBe(403)
})
