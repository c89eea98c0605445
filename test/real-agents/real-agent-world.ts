import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { createFixture, type Fixture, type FixtureOptions } from '../scenarios/world/fixture.ts'
import { wireSettings } from '../wire/wire-models.ts'
import type { Action } from './agent-hands.ts'
import { type AgentModel, startAgentModel } from './agent-model.ts'
import { installPinned } from './install-pinned.ts'
import type { PinnedAgent } from './pinned-agents.ts'

/** The providers of the wire server by kind, and the model's name there. */
const providers = { anthropic: 'anthropic', openai: 'openai', google: 'google', 'openai-compatible': 'wire' } as const
const model = 'scripted-model-1'
const price = { input: 1, output: 5 }

export interface RealAgentWorld {
  readonly fixture: Fixture
  readonly model: AgentModel
  readonly id: string
}

interface AgentWorldOptions {
  readonly actions: readonly Action[]
  readonly before?: Parameters<typeof startAgentModel>[1]
  readonly fixture?: FixtureOptions
}

/** A repository whose editor is an agent from the registry, with a scripted model. */
export async function realAgentWorld(agent: PinnedAgent, wanted: AgentWorldOptions): Promise<RealAgentWorld> {
  const bin = await installPinned(agent)
  const scripted = await startAgentModel(wanted.actions, wanted.before)
  onTestFinished(() => scripted.close())
  const provider = providers[agent.kind as keyof typeof providers]
  const { env, providers: own } = wireSettings(scripted.origin)
  const fixture = await createFixture({
    ...wanted.fixture,
    env: { ...env, ...wanted.fixture?.env, PATH: `${bin}:${process.env.PATH ?? ''}` },
  })
  onTestFinished(() => fixture.remove())
  const user = {
    providers: { wire: own.wire },
    agents: { [agent.name]: { provider, model } },
    prices: { [`${provider}:${model}`]: price },
  }
  const folder = join(fixture.env.XDG_CONFIG_HOME ?? '', 'drydock')
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'config.json'), JSON.stringify(user))
  return { fixture, model: scripted, id: `agent:${agent.name}` }
}
