import { realpathSync } from 'node:fs'
import { genericSurroundings } from '../domain/agents/generic-surroundings.ts'
import type { AgentSurroundings, ModelPlace } from '../domain/agents/known-agent.ts'
import { knownAgent } from '../domain/agents/known-agents.ts'
import { DrydockError } from '../domain/drydock-error.ts'
import { findProgram } from '../processes/find-program.ts'
import { packageAround } from '../processes/package-around.ts'
import { type AgentSources, chooseAgent } from './choose-agent.ts'
import { readEnvironment } from './environment.ts'

/** Passes checks for the form of a key, but is valid nowhere. */
const placeholder = 'sk-drydock-placeholder-0000000000000000'

/**
 * The program, variables and files of an agent. `origin` is the address of its model gateway inside
 * its sandbox. Throws DrydockError `agent_unusable`, `bad_model` or `no_key`.
 */
export function agentSettings(name: string, origin: string, from: AgentSources) {
  const { title, command, model, env, readOnlyPaths, credentials } = chooseAgent(name, from)
  const known = knownAgent(name)
  const { path } = readEnvironment(from.env)
  if (findProgram(command[0], path) === null) throw missing(title, command[0], known?.packages)
  const helpers = Object.entries(known?.helpers ?? {}).map(([variable, program]) => {
    const found = findProgram(program, path)
    if (found === null) throw missing(title, program, known?.packages)
    return [variable, realpathSync(found)] as const
  })
  const surroundings = (tools: ModelPlace['tools']): AgentSurroundings => {
    if (model === null) return { env: {}, files: {} }
    const place = { kind: model.kind, origin, model: model.name, key: placeholder, tools }
    return known === null ? genericSurroundings(place) : known.surroundings(place)
  }
  return {
    command,
    credentials,
    provider: model?.provider ?? null,
    // A known agent gets its model through its environment or its HOME.
    model: known === null ? (model?.name ?? null) : null,
    env: { ...surroundings(['none']).env, ...Object.fromEntries(helpers), ...env },
    files: (tools: ModelPlace['tools']) => surroundings(tools).files,
    readOnlyPaths: [...readOnlyPaths, ...helpers.map(([, file]) => packageAround(file))],
    authentication: known?.authentication ?? null,
  }
}

function missing(title: string, program: string, packages: readonly string[] = []): DrydockError {
  const install = packages.length === 0 ? 'Install it, or correct "command"' : `npm install -g ${packages.join(' ')}`
  return new DrydockError('agent_unusable', `${title} cannot be started: ${program} is not on PATH.`, {
    todo: `${install}. docs/agents.md says more.`,
  })
}
