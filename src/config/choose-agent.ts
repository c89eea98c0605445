import { join } from 'node:path'
import type { AgentModel, ChosenAgent } from '../domain/agents/chosen-agent.ts'
import type { KnownAgent } from '../domain/agents/known-agent.ts'
import { knownAgent, knownAgentNames } from '../domain/agents/known-agents.ts'
import { DrydockError } from '../domain/drydock-error.ts'
import { parseModelName } from '../domain/model-name.ts'
import {
  hostedNames,
  hostedProviders,
  isHosted,
  isLocal,
  localProviders,
  type ProviderKind,
  protocols,
} from '../domain/providers.ts'
import type { AgentEntry } from './agents-schema.ts'
import { type EnvironmentVariables, readEnvironment, readModelVariables } from './environment.ts'
import type { LoadedUserConfig } from './load.ts'
import { namesOf } from './model-choice.ts'

export interface AgentSources {
  readonly user: LoadedUserConfig
  readonly env: EnvironmentVariables
}

const nothing: AgentEntry = { read_only_paths: [], env: {}, credentials: [] }
const allKinds = Object.keys(protocols) as readonly ProviderKind[]

/**
 * The settings of `agent:<name>`: the user's entry on top of Drydock's defaults. No program is
 * started. Throws DrydockError `bad_model` or `no_key`.
 */
export function chooseAgent(name: string, { user, env }: AgentSources): ChosenAgent {
  const known = knownAgent(name)
  const entry = Object.hasOwn(user.agents, name) ? user.agents[name] : undefined
  const command = entry?.command ?? known?.command
  if (command === undefined) throw unknown(name, user)
  const { read_only_paths: paths, env: variables, credentials } = entry ?? nothing
  const { home } = readEnvironment(env)
  const fromHome = (path: string) => (path.startsWith('~/') ? join(home, path.slice(2)) : path)
  const [program, ...args] = command
  return {
    name,
    title: known?.title ?? name,
    command: [fromHome(program), ...args],
    env: variables,
    model: chooseModel({ name, known, entry: entry ?? nothing }, { user, env }),
    readOnlyPaths: paths.map(fromHome),
    credentials: credentials.map((path) => ({ path: fromHome(path), at: path.slice(2) })),
  }
}

/** The agents that can be named: those that Drydock knows, and the user's own. */
export function agentNames({ agents }: Pick<LoadedUserConfig, 'agents'>): readonly string[] {
  return [...new Set([...knownAgentNames, ...Object.keys(agents)])]
}

interface Asking {
  readonly name: string
  readonly known: KnownAgent | null
  readonly entry: AgentEntry
}

/**
 * The model of the agent's own entry, or else one of the user's models that it supports, or else a
 * provider with a key.
 */
function chooseModel({ name, known, entry }: Asking, { user, env }: AgentSources): AgentModel | null {
  if (entry.provider === undefined && entry.credentials.length > 0) return null
  const kinds = known?.kinds ?? allKinds
  const speaks = (provider: string) => {
    const kind = kindOf(provider, user)
    return kind !== null && kinds.includes(kind)
  }
  const named = [user.models.default, user.models.scout, user.models.architect]
    .flatMap((choice) => (choice === undefined ? [] : namesOf(choice)))
    .flatMap((model) => parseModelName(model) ?? [])
  const keys = readModelVariables(env, user.providers)
  const withKey = kinds.flatMap((kind) =>
    hostedNames.filter((each) => hostedProviders[each].kind === kind && hostedProviders[each].keyEnv in keys),
  )
  const provider = entry.provider ?? named.map((each) => each.provider).find(speaks) ?? withKey[0]
  if (provider === undefined) throw noKey({ name, known }, env)
  const kind = kindOf(provider, user)
  if (kind === null || !kinds.includes(kind)) throw wrongProvider({ name, known, provider, kinds })
  const keyEnv = isHosted(provider) ? hostedProviders[provider].keyEnv : null
  if (keyEnv !== null && !(keyEnv in keys)) {
    const message = `${keyEnv} is not set. agent:${name} needs it for ${provider}.`
    throw new DrydockError('no_key', message, { todo: `export ${keyEnv}=…` })
  }
  const example = isHosted(provider) ? hostedProviders[provider].example : undefined
  const model = entry.model ?? named.find((each) => each.provider === provider)?.model ?? example
  if (model === undefined) throw noModel(name, provider, user)
  return { provider, kind, name: model }
}

function kindOf(provider: string, { providers }: Pick<LoadedUserConfig, 'providers'>): ProviderKind | null {
  if (isHosted(provider)) return hostedProviders[provider].kind
  if (Object.hasOwn(providers, provider)) return providers[provider]?.kind ?? null
  return isLocal(provider) ? localProviders[provider].kind : null
}

function unknown(name: string, user: LoadedUserConfig): DrydockError {
  return new DrydockError(
    'bad_model',
    `There is no agent named "${name}". The known ones are ${agentNames(user).join(', ')}.`,
    {
      todo: `Use one of them, or put { "agents": { "${name}": { "command": […] } } } into ${user.file}`,
    },
  )
}

function noKey({ name, known }: Pick<Asking, 'name' | 'known'>, env: EnvironmentVariables): DrydockError {
  const hosted = hostedNames.filter((each) => known === null || known.kinds.includes(hostedProviders[each].kind))
  const keys = hosted.map((each) => hostedProviders[each].keyEnv)
  const other =
    keys.includes('GOOGLE_GENERATIVE_AI_API_KEY') && env.GEMINI_API_KEY ? ' GEMINI_API_KEY is another one.' : ''
  return new DrydockError(
    'no_key',
    `${known?.title ?? name} needs a model, and ${keys.join(', ')} ${keys.length > 1 ? 'are' : 'is'} not set.${other}`,
    {
      todo: `export ${keys[0]}=…, or name a provider: { "agents": { "${name}": { "provider": "…", "model": "…" } } }`,
    },
  )
}

interface Wrong {
  readonly name: string
  readonly known: KnownAgent | null
  readonly provider: string
  readonly kinds: readonly ProviderKind[]
}

function wrongProvider({ name, known, provider, kinds }: Wrong): DrydockError {
  const what = `${known?.title ?? name} cannot use the provider ${provider}`
  return new DrydockError('bad_model', `${what}: it speaks to those of kind ${kinds.join(', ')}.`, {
    todo: `Name another one at "agents"."${name}"."provider", or add it under "providers".`,
  })
}

function noModel(name: string, provider: string, { file }: LoadedUserConfig): DrydockError {
  return new DrydockError('bad_model', `No model of ${provider} is named for agent:${name}.`, {
    todo: `Put { "agents": { "${name}": { "model": "…" } } } into ${file}`,
  })
}
