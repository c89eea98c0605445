import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AgentScript, ScriptedTurn } from '../../acp/agent-script.ts'
import { agentCommand, installAgent } from '../../acp/install-agent.ts'
import { createFixture, type Fixture, type FixtureOptions } from './fixture.ts'

/** The editor's model in these tests. */
export const scripted = 'agent:scripted'

interface AgentFixtureOptions {
  readonly turns: readonly ScriptedTurn[]
  readonly script?: Omit<AgentScript, 'turns'>
  readonly fixture?: FixtureOptions
  /** Further settings of its entry in the user's configuration. */
  readonly agent?: object
  readonly user?: object
}

/** The agent asks no model, so it has no gateway. */
const withLogin = { credentials: ['~/.scripted-login'] }

/** A repository whose editor is the scripted agent, which the user has installed. */
export async function createAgentFixture(given: AgentFixtureOptions): Promise<Fixture> {
  const { turns, script, fixture = {}, agent = withLogin, user } = given
  const installed = await mkdtemp(join(tmpdir(), 'drydock-agent-'))
  const bin = await installAgent(installed)
  const env = { ...fixture.env, PATH: `${bin}:${process.env.PATH ?? ''}` }
  const made = await createFixture({ ...fixture, env })
  const folder = join(made.env.XDG_CONFIG_HOME ?? '', 'drydock')
  const command = agentCommand({ loads: true, ...script, turns })
  const home = made.env.HOME ?? ''
  for (const each of [folder, home]) await mkdir(each, { recursive: true })
  await writeFile(join(home, '.scripted-login'), 'a login')
  await writeFile(join(folder, 'config.json'), JSON.stringify({ ...user, agents: { scripted: { command, ...agent } } }))
  return {
    ...made,
    async remove() {
      await Promise.all([made.remove(), rm(installed, { recursive: true, force: true })])
    },
  }
}

/** With a criterion a foreign agent needs no plan and codes at once. */
export const criterion = ['--criterion', 'value.txt says new'] as const

export const writeNew = { write: 'value.txt', text: 'new\n' } as const

export const submit = (summary = 'Say new', more: object = {}) => ({
  tool: 'submit_change',
  input: { summary, ...more },
})
