import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { agentWorld, prompted } from '../../acp/agent-world.ts'

describe('an earlier session', () => {
  const script = { loads: true, turns: [{ steps: [{ say: 'One.' }] }, { steps: [{ say: 'Two.' }] }] }

  test('continues in a new process if the agent can load it, and its history is not observed again', async () => {
    const { session } = await agentWorld()
    const first = await session(script)
    await prompted(first, 'Go.')
    await first.close()
    const second = await session(script, { session: first.id })
    expect(second).toMatchObject({ id: first.id, isLoaded: true, canLoad: true })
    expect((await prompted(second, 'Go on.')).updates).toEqual([{ type: 'said', text: 'Two.' }])
  })
})

describe('an agent is told', () => {
  test('how to authenticate when it asks, and which of its models to take', async () => {
    const { session, home } = await agentWorld()
    const script = { authentication: 'api-key', models: ['small', 'large'], turns: [{ steps: [{ say: 'Ready.' }] }] }
    const agent = await session(script, { authentication: 'api-key', model: 'large' })
    expect((await prompted(agent, 'Go.')).end).toMatchObject({ text: 'Ready.' })
    expect(readFileSync(join(home, '.scripted-agent/model'), 'utf8')).toBe('large')
  })
})
