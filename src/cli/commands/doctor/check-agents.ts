import { type TriedAgent, tryAgent } from '../../../app/commands/try-agent.ts'
import type { Installation } from '../../../app/installation.ts'
import { agentNames, chooseAgent } from '../../../config/choose-agent.ts'
import { readEnvironment } from '../../../config/environment.ts'
import { knownAgent } from '../../../domain/agents/known-agents.ts'
import { DrydockError } from '../../../domain/drydock-error.ts'
import { limits } from '../../../domain/limits.ts'
import { findProgram } from '../../../processes/find-program.ts'
import { packageVersion } from '../../../processes/package-version.ts'
import type { Context } from '../../context.ts'
import { type Check, failed } from './check.ts'

interface AgentChecks {
  /** The editor's agent, as `agent:<name>`; null for none. */
  readonly used: string | null
  /** True to start each agent in a sandbox. */
  readonly deeply: boolean
}

/**
 * Checks foreign agents that are on PATH, in the user's file or in use. Only a missing agent that
 * is in use is a failure.
 */
export async function checkAgents(
  context: Context,
  drydock: Pick<Installation, 'user' | 'agent' | 'foreign'>,
  { used, deeply }: AgentChecks,
): Promise<Check[]> {
  const names = new Set([...agentNames(drydock.user), ...(used === null ? [] : [used])])
  const checks: Check[] = []
  // Checks agents in turn, since each needs the resources of a whole program.
  for (const name of names) {
    const isNamed = name === used || Object.hasOwn(drydock.user.agents, name)
    if (!isNamed && programOf(context, name) === null) continue
    const check = await checkAgent(context, drydock, { name, deeply })
    checks.push(check.ok || name === used ? check : { ...check, ok: true, exit: 0 })
  }
  return checks
}

function programOf({ terminal }: Context, name: string): string | null {
  const program = knownAgent(name)?.command[0]
  return program === undefined ? null : findProgram(program, readEnvironment(terminal.env).path)
}

const consequence = 'It cannot be the editor.'

async function checkAgent(
  context: Context,
  drydock: Pick<Installation, 'user' | 'agent' | 'foreign'>,
  { name, deeply }: { readonly name: string; readonly deeply: boolean },
): Promise<Check> {
  try {
    const { command, provider } = drydock.agent(name)
    const { title, model, credentials } = chooseAgent(name, { user: drydock.user, env: context.terminal.env })
    const program = findProgram(command[0] ?? '', readEnvironment(context.terminal.env).path)
    const version = program === null ? null : packageVersion(program)
    const tried = deeply ? await tryAgent(drydock, name, AbortSignal.timeout(limits.agents.startSec * 1_000)) : null
    const facts = { name, version, program, provider, model: model?.name ?? null, loads_sessions: loadsSessions(tried) }
    const withModel = model === null ? 'with a login of its own' : `with ${model.provider}:${model.name}`
    const reads = credentials.length === 0 ? '' : `, can read ${credentials.map(({ at }) => `~/${at}`).join(', ')}`
    const lacks = knownAgent(name)?.hasTools === false ? ', takes no tools: for tasks alone' : ''
    const found = `agent:${name}: ${title}${version === null ? '' : ` ${version}`} ${withModel}${reads}${lacks}`
    if (tried?.ok === false) {
      const fix = `drydock doctor --agents tries it again. docs/agents.md says what it may lack.`
      return { name: 'agent', ok: false, found: `${found}: ${tried.problem}`, fix, consequence, exit: 2, agent: facts }
    }
    return { name: 'agent', ok: true, found: `${found}${describe(tried)}`, exit: 0, agent: facts }
  } catch (error) {
    if (!(error instanceof DrydockError)) throw error
    return { ...failed('agent', error, consequence), found: `agent:${name}: ${error.message}` }
  }
}

function loadsSessions(tried: TriedAgent | null): boolean | null {
  return tried?.ok ? tried.loadsSessions : null
}

function describe(tried: TriedAgent | null): string {
  if (!tried?.ok) return ''
  return tried.loadsSessions ? '; starts in the sandbox, loads sessions' : '; starts in the sandbox, loads no sessions'
}
