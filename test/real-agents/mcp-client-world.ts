import { spawn } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { knownAgent } from '../../src/domain/agents/known-agents.ts'
import type { ProviderKind } from '../../src/domain/providers.ts'
import { createFixture, type Fixture, type Turns } from '../scenarios/world/fixture.ts'
import { configureUser } from '../scenarios/world/hook.ts'
import { follow, type ProcessEnd } from '../scenarios/world/process.ts'
import type { Action } from './agent-hands.ts'
import { type AgentModel, startAgentModel } from './agent-model.ts'
import { installPinned } from './install-pinned.ts'
import { pinnedAgent } from './pinned-agents.ts'

const checkout = fileURLToPath(new URL('../..', import.meta.url))

interface ClientProgram {
  /** The file of its configuration, by the variable with its folder. */
  readonly config: (env: Fixture['env']) => string
  /** The language of its example in docs/mcp.md, and the line that sets the timeout of a call. */
  readonly example: { readonly language: string; readonly time: RegExp; readonly unit: number }
  readonly args: (prompt: string) => readonly string[]
}

export const mcpClients = {
  codex: {
    config: (env) => join(env.HOME ?? '', '.codex/config.toml'),
    example: { language: 'toml', time: /(?<=tool_timeout_sec = )\d+/, unit: 1 },
    args: (prompt) => ['exec', prompt],
  },
  opencode: {
    config: (env) => join(env.XDG_CONFIG_HOME ?? '', 'opencode/opencode.json'),
    example: { language: 'json', time: /(?<="timeout": )\d+/, unit: 1_000 },
    args: (prompt) => ['run', prompt],
  },
} as const satisfies Readonly<Record<string, ClientProgram>>

export type McpClientName = keyof typeof mcpClients

interface ClientWorldOptions {
  readonly actions: readonly Action[]
  /** Turns of Drydock's own model. */
  readonly lanes: Readonly<Record<string, Turns>>
  readonly before?: Parameters<typeof startAgentModel>[1]
  /** Timeout of the client for a call in seconds, instead of that in the example. */
  readonly timeoutSec?: number
}

export interface McpClientWorld {
  readonly fixture: Fixture
  readonly model: AgentModel
  asks(prompt: string): Promise<ProcessEnd>
}

/**
 * An agent from the registry that works alone on a repository, with `drydock mcp` configured as in
 * docs/mcp.md. The models of the agent and of Drydock are scripted.
 */
export async function mcpClientWorld(name: McpClientName, wanted: ClientWorldOptions): Promise<McpClientWorld> {
  const agent = pinnedAgent(name)
  const programs = await installPinned(agent)
  const fixture = await createFixture()
  onTestFinished(() => fixture.remove())
  const model = await startAgentModel(wanted.actions, wanted.before)
  onTestFinished(() => model.close())
  const models = { default: await fixture.replay(wanted.lanes) }
  await configureUser(fixture, { models, mcp: { allow: ['start_task'], budget_usd: 5 } })
  const given = {
    kind: agent.kind as ProviderKind,
    origin: model.origin,
    model: 'scripted-model-1',
    key: 'sk-scripted',
    tools: ['true'] as const,
  }
  const around = knownAgent(name)?.surroundings(given)
  if (around === undefined) throw new Error(`nothing is known of ${name}`)
  const client = mcpClients[name]
  const path = client.config(fixture.env)
  const own = Object.values<string>(around.files).join('')
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, `${own}\n${await exampleOf(client, fixture.repo, wanted.timeoutSec)}`)
  const env = { ...fixture.env, ...around.env, PATH: `${join(checkout, 'bin')}:${fixture.env.PATH}` }
  return {
    fixture,
    model,
    asks(prompt) {
      const stdio: ('ignore' | 'pipe')[] = ['ignore', 'pipe', 'pipe']
      return follow(spawn(join(programs, name), client.args(prompt), { cwd: fixture.repo, env, stdio })).ended
    },
  }
}

/** The configuration of this client in docs/mcp.md, for this repository. */
async function exampleOf({ example }: ClientProgram, repo: string, timeoutSec?: number): Promise<string> {
  const page = await readFile(join(checkout, 'docs/mcp.md'), 'utf8')
  const blocks = page.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)
  for (const [, language, text = ''] of blocks) {
    if (language !== example.language || !example.time.test(text)) continue
    const timed = timeoutSec === undefined ? text : text.replace(example.time, String(timeoutSec * example.unit))
    return timed.replace('/path/to/your-repository', repo)
  }
  throw new Error(`docs/mcp.md shows no ${example.language} with the time of a call`)
}
