import type { Choices } from '../../../api/choices.ts'
import { agentNames } from '../../../config/choose-agent.ts'
import { knownAgent } from '../../../domain/agents/known-agents.ts'
import { DrydockError } from '../../../domain/drydock-error.ts'
import { limits } from '../../../domain/limits.ts'
import { agentNameOf, modelId } from '../../../domain/model-name.ts'
import { agentProvider, replayProvider } from '../../../domain/providers.ts'
import { namesIn } from '../../../domain/run/run-models.ts'
import { type AskProvider, askProviders } from '../../commands/ask-providers.ts'
import { checkConfig } from '../../commands/check-config.ts'
import { checkModels } from '../../commands/check-models.ts'
import type { Installation } from '../../installation.ts'
import { trialFacts } from '../../text/trial-text.ts'
import type { WorkOptions } from '../../work-options.ts'

/** Lists models that servers on this machine offer. */
type LookHere = () => Promise<
  readonly { readonly provider: string; readonly title: string; readonly models: readonly OfferedModel[] }[]
>

interface OfferedModel {
  /** The model's name with its provider. */
  readonly id: string
  /** Null if the server does not say whether the model calls tools. */
  readonly tools: boolean | null
}

/** The settings and ports from which choices are read. */
type ChoiceSource = Parameters<typeof checkConfig>[0] &
  Parameters<typeof checkModels>[0] &
  Pick<Installation, 'user' | 'env' | 'userRepository' | 'model' | 'agent'>

interface Looking {
  readonly options: WorkOptions
  readonly ask: AskProvider
  readonly lookHere: LookHere
}

/**
 * All models, agents and branches that work can be started with. Asks providers for their models,
 * which costs nothing.
 */
export async function readChoices(drydock: ChoiceSource, { options, ask, lookHere }: Looking): Promise<Choices> {
  const configured = configuredModels(drydock, options)
  const used = [...new Set((configured.configured ?? []).filter(isOfProvider).map(modelId))]
  const [start, branches, asked, here] = await Promise.all([
    startOf(drydock, options),
    drydock.userRepository.branches(''),
    askProviders(drydock, used, ask),
    lookHere(),
  ])
  const local = here.filter(({ provider }) => asked.every(({ name }) => name !== provider))
  const offered = [
    ...used,
    ...asked.flatMap(({ name, models }) => (models ?? []).map((model) => `${name}:${model}`)),
    ...local.flatMap(({ models }) => models.flatMap(({ id, tools }) => (tools === false ? [] : [id]))),
  ]
  const names = [...new Set(offered)].slice(0, limits.dashboard.choices)
  return {
    ...start,
    branches: [...branches].sort(ownLast).slice(0, limits.dashboard.choices),
    ...configured,
    models: (await Promise.all(names.map((name) => triedModel(drydock, name)))).flat(),
    providers: [
      ...asked.map(({ name, found, problem, models }) => ({
        name,
        found,
        problem: problem && { ...problem, message: found },
        unlisted: problem === null && models === null,
      })),
      ...local.map(({ provider: name, title }) => ({
        name,
        found: `${title} answers on this machine`,
        problem: null,
        unlisted: false,
      })),
    ],
    agents: agentNames(drydock.user).flatMap((name) => agentOf(drydock, name)),
  }
}

/** False for a recording or an agent, since neither lists its models. */
function isOfProvider(name: string): boolean {
  return agentNameOf(name) === null && !name.startsWith(`${replayProvider}:`)
}

function configuredModels(drydock: ChoiceSource, options: WorkOptions) {
  try {
    const models = checkModels(drydock, options, { crew: true })
    return { configured: [...new Set(namesIn(models))], configured_problem: null }
  } catch (error) {
    return { configured: null, configured_problem: problemOf(error) }
  }
}

/** The branch that work starts from by default, and the steps that it must pass. */
async function startOf(drydock: ChoiceSource, options: WorkOptions) {
  const { userRepository, user } = drydock
  try {
    const { branch: start } = await userRepository.target(options.target ?? user.target ?? null)
    const { source, steps } = await checkConfig(drydock, options, true)
    return { start, gate: { source, steps: [...steps] }, gate_problem: null }
  } catch (error) {
    return { start: null, gate: null, gate_problem: problemOf(error) }
  }
}

/** Empty for a model that cannot be used, for instance because its key is missing. */
async function triedModel(drydock: ChoiceSource, name: string): Promise<Choices['models']> {
  try {
    const tried = await drydock.model(name).trial?.known()
    const provider = name.slice(0, name.indexOf(':'))
    return [{ name, provider, found: tried ? trialFacts(tried) : null }]
  } catch (error) {
    problemOf(error)
    return []
  }
}

/** Empty for a known agent that is not installed. */
function agentOf(drydock: ChoiceSource, agent: string): Choices['agents'] {
  const known = knownAgent(agent)
  const told = { name: `${agentProvider}:${agent}`, title: known?.title ?? agent, crew: known?.hasTools !== false }
  try {
    drydock.agent(agent)
    return [{ ...told, problem: null }]
  } catch (error) {
    const isNamed = Object.hasOwn(drydock.user.agents, agent)
    if (!isNamed && error instanceof DrydockError && error.code === 'agent_unusable') return []
    return [{ ...told, problem: problemOf(error) }]
  }
}

function problemOf(error: unknown) {
  if (!(error instanceof DrydockError)) throw error
  const { code, message, todo } = error
  return { code, message, todo }
}

const isOwn = (branch: string) => branch.startsWith('drydock/')

function ownLast(a: string, b: string): number {
  return Number(isOwn(a)) - Number(isOwn(b)) || (a < b ? -1 : 1)
}
