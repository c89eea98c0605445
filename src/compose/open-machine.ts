import { join } from 'node:path'
import { createCodingAgents } from '../adapters/acp/create-coding-agents.ts'
import { createAgentToolServers } from '../adapters/agent-tools/agent-tool-servers.ts'
import { createAgentHomes } from '../adapters/artifacts/agent-homes.ts'
import { createSystemClock } from '../adapters/clock/system-clock.ts'
import { lazyMcpServers } from '../adapters/mcp/lazy-mcp-servers.ts'
import { createModel } from '../adapters/models/create-model.ts'
import { createGates } from '../adapters/models/gate.ts'
import { createModelGateways } from '../adapters/models/gateway/create-gateways.ts'
import { createKeptTrials } from '../adapters/models/trial/kept-trials.ts'
import { createPrices } from '../adapters/prices/price-list.ts'
import { createSandbox } from '../adapters/sandbox/create-sandbox.ts'
import { redactedModel } from '../agents/redacted-model.ts'
import type { Opening } from '../app/opening.ts'
import { agentSettings } from '../config/agent-settings.ts'
import {
  readContainerVariables,
  readEnvironment,
  readModelVariables,
  readPackageManagerVariables,
} from '../config/environment.ts'
import { knownSecrets } from '../config/known-secrets.ts'
import { loadUserConfig } from '../config/load.ts'
import { mcpSettings } from '../config/mcp-settings.ts'
import { modelTimeouts } from '../config/model-timeouts.ts'
import { sandboxChoice } from '../config/sandbox-choice.ts'
import { DrydockError } from '../domain/drydock-error.ts'
import { createRedactor } from '../domain/secrets/redact.ts'
import { createSpeechRedactor } from '../domain/secrets/redact-speech.ts'
import { insideRepository } from '../gate/inside.ts'
import { setProxies } from '../http/proxy.ts'
import { gatewayInside } from '../ports/coding-agent.ts'
import type { Model } from '../ports/model.ts'
import { edition, version } from '../processes/installation.ts'
import { temporaryFolderProblem } from '../processes/temporary-folder.ts'

/**
 * The parts that depend on the machine and its user, but not on a state: models, sandboxes, agents
 * and tools. Throws DrydockError `bad_config` or `no_temporary_folder`.
 */
export async function openMachine(options: Pick<Opening, 'env' | 'flags' | 'clock'>) {
  const { flags = {}, clock = createSystemClock() } = options
  await requireTemporaryFolder()
  const environment = readEnvironment(options.env)
  const env = { ...options.env, PATH: environment.path }
  const user = await loadUserConfig(env)
  setProxies(options.env)
  const models = new Map<string, Model>()
  const gates = createGates(clock)
  const file = join(environment.cache, 'tried-models')
  const trials = environment.triesModels
    ? { kept: createKeptTrials({ file, edition: edition(), clock }), clock }
    : undefined
  const secrets = knownSecrets(env, user)
  const redact = createRedactor(secrets)
  const redactSpeech = createSpeechRedactor(secrets, redact)
  const gateways = createModelGateways({
    providers: user.providers,
    env: readModelVariables(env, user.providers),
    gates,
    timeouts: modelTimeouts(user),
    clock,
    redact,
  })
  const agent = (name: string) => agentSettings(name, gatewayInside.url, { user, env })
  const sandbox = await createSandbox({
    ...sandboxChoice(user, flags),
    hostEnv: readContainerVariables(env),
    cache: environment.cache,
    packageManagers: { home: environment.home, env: readPackageManagerVariables(env) },
  })
  return {
    environment,
    env,
    user,
    clock,
    redact,
    redactSpeech,
    sandbox,
    agent,
    model(id: string): Model {
      const { providers, context } = user
      const contextTokens = Object.hasOwn(context, id) ? context[id] : undefined
      const given = {
        env: readModelVariables(env, providers),
        gates,
        trials,
        timeouts: modelTimeouts(user),
        contextTokens,
      }
      const model = models.get(id) ?? redactedModel(createModel({ id, providers, ...given }), redact)
      models.set(id, model)
      return model
    },
    prices: createPrices(user.prices, { file: join(environment.cache, 'listed-prices'), edition: edition() }),
    /** Keeps the folders of agents below a state's folder. */
    foreignIn: (state: string) => ({
      agents: createCodingAgents({ sandbox, hostPath: environment.path }),
      settings: async (name: string) => agent(name),
      tools: createAgentToolServers(version()),
      gateways,
      homes: createAgentHomes(state),
    }),
    mcpServers: lazyMcpServers(mcpSettings(user, env), async () => ({
      sandbox,
      clock,
      hostPath: environment.path,
      inside: insideRepository,
      version: version(),
      redact,
      folder: join(environment.stateRoot, 'mcp'),
      ...(await import('../agents/tools/mcp-offer.ts')).mcpOffer,
    })),
  }
}

/**
 * Without this folder no sandbox starts, so the first verification would fail after the work is
 * paid for.
 */
async function requireTemporaryFolder(): Promise<void> {
  const problem = await temporaryFolderProblem()
  if (problem !== null) throw new DrydockError('no_temporary_folder', problem.found, { todo: problem.fix })
}
