import { realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createCodingAgents } from './adapters/acp/create-coding-agents.ts'
import { createAgentToolServers } from './adapters/agent-tools/agent-tool-servers.ts'
import { createAgentHomes } from './adapters/artifacts/agent-homes.ts'
import { createArtifacts } from './adapters/artifacts/artifacts.ts'
import { folderSizes } from './adapters/artifacts/folder-sizes.ts'
import { removeFolder as removeAnyFolder } from './adapters/artifacts/remove-folder.ts'
import { createBlobs } from './adapters/blobs/create-blobs.ts'
import { createSystemClock } from './adapters/clock/system-clock.ts'
import { createTimetable } from './adapters/clock/timetable.ts'
import { createEmbeddedEngine } from './adapters/engine/embedded-engine.ts'
import { takeOwnerLock } from './adapters/engine/owner-lock.ts'
import * as ownerSocket from './adapters/engine/owner-socket.ts'
import { createForge } from './adapters/forge/create-forge.ts'
import { createGitPorts } from './adapters/git/git-ports.ts'
import { stateName } from './adapters/git/state-name.ts'
import { findRepository, refsOf } from './adapters/git/user-repository/find-repository.ts'
import { createNoteReads } from './adapters/git/user-repository/note-reads.ts'
import { lazyMcpServers } from './adapters/mcp/lazy-mcp-servers.ts'
import { askProvider as askForModels } from './adapters/models/ask-provider.ts'
import { createModel } from './adapters/models/create-model.ts'
import { createGates } from './adapters/models/gate.ts'
import { createModelGateways } from './adapters/models/gateway/create-gateways.ts'
import { findLocalServers } from './adapters/models/local-servers.ts'
import { createNotifiers } from './adapters/notify/create-notifiers.ts'
import { createPrices } from './adapters/prices/price-list.ts'
import { createReceiptReader } from './adapters/receipts/receipt-reader.ts'
import { createReceipts } from './adapters/receipts/receipts.ts'
import { createSandbox } from './adapters/sandbox/create-sandbox.ts'
import { globMatcher } from './adapters/sandbox/runner/glob.ts'
import { createDatabase, type Database } from './adapters/store/database.ts'
import { openForgeCalls } from './adapters/store/open-forge-calls.ts'
import { openHubRows } from './adapters/store/open-hub-rows.ts'
import { checkStateFolder, makeStateFolder } from './adapters/store/state-folder.ts'
import { createTelemetry } from './adapters/telemetry/create-telemetry.ts'
import { createTestReports } from './adapters/test-reports/create.ts'
import { redactedModel } from './agents/redacted-model.ts'
import type { Drydock } from './app/drydock.ts'
import type { Opening } from './app/opening.ts'
import { createBeside } from './compose/beside.ts'
import { openLiveWork } from './compose/open-live-work.ts'
import { openStoredFiles } from './compose/open-stored-files.ts'
import { agentSettings } from './config/agent-settings.ts'
import { blobSettings } from './config/blob-settings.ts'
import { databaseServer } from './config/database-server.ts'
import {
  type EnvironmentVariables,
  readContainerVariables,
  readEnvironment,
  readHookVariables,
  readModelVariables,
  readPackageManagerVariables,
} from './config/environment.ts'
import { chooseForge } from './config/forge/choose-forge.ts'
import { knownSecrets } from './config/known-secrets.ts'
import { loadUserConfig, resolveConfig } from './config/load.ts'
import { mcpSettings } from './config/mcp-settings.ts'
import { modelTimeouts } from './config/model-timeouts.ts'
import { sandboxChoice } from './config/sandbox-choice.ts'
import type { UserConfig } from './config/schema.ts'
import { telemetrySettings } from './config/telemetry.ts'
import { createScope } from './domain/scope.ts'
import { createRedactor } from './domain/secrets/redact.ts'
import { createSpeechRedactor } from './domain/secrets/redact-speech.ts'
import { slotNames } from './domain/slot/slot-name.ts'
import { insideRepository } from './gate/inside.ts'
import { createDependencyLayers } from './gate/layers/dependency-layers.ts'
import { createTreeParts } from './gate/layers/tree-parts.ts'
import { redactedReports } from './gate/redacted-reports.ts'
import { createTestsOfTrees } from './gate/tests-of-tree.ts'
import { gatewayInside } from './ports/coding-agent.ts'
import type { Model } from './ports/model.ts'
import type { Owner, OwnOptions } from './ports/owner.ts'
import type { ReceiptReader } from './ports/receipts.ts'
import { version } from './processes/installation.ts'
import type { HubServing, ServingHub } from './server/http/hub/serve-hub.ts'
import type { Dashboard, DashboardServing } from './server/http/serve-dashboard.ts'
import { createGuides } from './workflow/guide/guides.ts'
import { createArchitectSandbox } from './workflow/lane/architect-sandbox.ts'
import { createSandboxes } from './workflow/lane/sandboxes.ts'
import { slotsAtRest } from './workflow/rest/slots-at-rest.ts'
import { checkRunPrices } from './workflow/run/check-prices.ts'
import { type Collected, collectGarbage } from './workflow/run/collect-garbage.ts'
import { withStoredLogs } from './workflow/stored/with-stored-logs.ts'
import { createWorkflow } from './workflow/workflow.ts'

/** DrydockError `not_a_repository`, `bad_config`. */
export async function openDrydock(options: Opening): Promise<Drydock> {
  const { directory, flags = {}, clock = createSystemClock() } = options
  const environment = readEnvironment(options.env)
  const env = { ...options.env, PATH: environment.path }
  const repository = await findRepository(directory, env)
  const user = await loadUserConfig(env)
  const state = join(environment.stateRoot, await stateName(repository))
  const repositoryPath = await realpath(repository)
  await checkStateFolder(state, { repositoryPath, readOnlyPaths: user.sandbox.read_only_paths })
  const models = new Map<string, Model>()
  const gates = createGates(clock)
  const secrets = knownSecrets(env, user)
  const redact = createRedactor(secrets)
  const redactSpeech = createSpeechRedactor(secrets, redact)
  const stored = { state, server: databaseServer(user, env), clock, redact }
  const database = createDatabase(stored)
  const { beside, clone, ...git } = createGitPorts({ repository, state, environment: env, ...user.commit })
  const artifacts = join(state, 'artifacts')
  const blobs = createBlobs(blobSettings(user, env), { state, clock })
  const storedFiles = openStoredFiles(blobs, database)
  const receipts = createReceipts({ artifacts, installation: dirname(state), version: version(), redact })
  const gateways = createModelGateways({
    ...{ providers: user.providers, env: readModelVariables(env, user.providers), gates },
    ...{ timeouts: modelTimeouts(user), clock, redact },
  })
  const agent = (name: string) => agentSettings(name, gatewayInside.url, { user, env })
  const sandbox = await createSandbox({
    ...sandboxChoice(user, flags),
    hostEnv: readContainerVariables(env),
    cache: environment.cache,
    packageManagers: { home: environment.home, env: readPackageManagerVariables(env) },
  })
  const drydock: Drydock = {
    ...{ repository, state, user, clock, redact, redactSpeech, artifacts, receipts, sandbox, agent, env: options.env },
    ...{ ...git, blobs, storedFiles },
    openArtifacts: () => withStoredLogs(createArtifacts(artifacts, redact), storedFiles),
    guides: createGuides({ ...git, globMatcher }),
    beside: createBeside({
      ...{ repository, user, globMatcher, git: beside, refsOf: (path) => refsOf(path, env) },
      find: (directory) => findRepository(directory, env),
      check: (path) => checkStateFolder(state, { repositoryPath: path, readOnlyPaths: [] }),
    }),
    clone: async (url) => makeStateFolder(state).then(() => clone(url)),
    notifiers: createNotifiers(user.notify, readHookVariables(env)),
    telemetry: createTelemetry(telemetrySettings(user.telemetry, env), { version: version(), redact, state }),
    timetable: createTimetable(),
    checkPrices: (starting) => checkRunPrices({ prices: createPrices(user.prices) }, starting),
    model(id) {
      const { providers, context } = user
      const contextTokens = Object.hasOwn(context, id) ? context[id] : undefined
      const given = { env: readModelVariables(env, providers), gates, timeouts: modelTimeouts(user), contextTokens }
      const model = models.get(id) ?? redactedModel(createModel({ id, providers, ...given }), redact)
      models.set(id, model)
      return model
    },
    foreign: {
      ...{ agents: createCodingAgents({ sandbox, hostPath: environment.path }), settings: async (name) => agent(name) },
      ...{ tools: createAgentToolServers(version()), gateways, homes: createAgentHomes(state) },
    },
    mcpServers: lazyMcpServers(mcpSettings(user, env), async () => ({
      ...{ sandbox, clock, hostPath: environment.path, inside: insideRepository, version: version(), redact },
      ...{ folder: join(environment.stateRoot, 'mcp'), ...(await import('./agents/tools/mcp-offer.ts')).mcpOffer },
    })),
    readConfig: (request) => resolveConfig({ ...request, user, repositoryPath, flags }),
    openRecords: database.openRecords,
    checkDatabase: database.check,
    async copyState(to) {
      const { copyState } = await import('./adapters/store/copy-state.ts')
      return copyState({ ...stored, to, takeLock: () => takeOwnerLock(join(state, 'owner.lock')) })
    },
    ensureState: database.ensure,
    async submit(key, command) {
      await makeStateFolder(state)
      const store = await database.open()
      await store.transact((tx) => tx.insertCommand({ key, command })).finally(() => store.close())
    },
    openForge: async (url, name) => createForge(chooseForge({ user, env, url, name })),
    openForgeCalls: () => openForgeCalls(database),
    openHubRows: () => openHubRows(database),
    lockForgeWatch: () => makeStateFolder(state).then(() => takeOwnerLock(join(state, 'forge-watch.lock'))),
    collect: (signal) => collect(drydock, { database, signal }),
    sizes: () => folderSizes(state),
    own: (owning) => own(drydock, { ...options, ...owning, database }),
    connect: (on) => ownerSocket.connectToOwner(ownerSocket.ownerSocketPath(state), on),
    ownerFacts: () => ownerSocket.readOwnerFacts(ownerSocket.ownerSocketPath(state)),
  }
  return drydock
}

/** The model servers of this machine; `ports` are for tests. */
export const localServers: typeof findLocalServers = (ports) => findLocalServers(ports)
export const removeFolder: typeof removeAnyFolder = (path) => removeAnyFolder(path)
export const askProvider: typeof askForModels = (...given) => askForModels(...given)

/** Throws what keeps a model from being used, as far as it can be known without asking it. */
export function checkModel(id: string, env: EnvironmentVariables, { providers }: UserConfig): void {
  createModel({ id, providers, env: readModelVariables(env, providers) })
}

/** Reads receipts with the user's configuration alone. DrydockError `bad_config`. */
export async function openReceipts(env: EnvironmentVariables): Promise<ReceiptReader> {
  const { file: configFile, receipts } = await loadUserConfig(env)
  return createReceiptReader({
    ...{ configFile, trustedKeys: receipts.trusted_keys, installation: readEnvironment(env).stateRoot },
    ...createNoteReads(env),
  })
}

interface Collecting {
  readonly database: Database
  readonly signal: AbortSignal
}

/** As the owner of the state, but without taking its work up. */
async function collect(drydock: Drydock, { database, signal }: Collecting): Promise<Collected | null> {
  const { state, clock, sandbox, history, workTrees, blobs } = drydock
  if (!database.isThere()) return { verifications: [], refs: [], cacheBytes: 0, blobs: null }
  const lock = takeOwnerLock(join(state, 'owner.lock'))
  if (lock === null) return null
  await using closing = new AsyncDisposableStack()
  closing.defer(() => lock.release())
  const store = await database.open({ owner: true })
  closing.defer(() => store.close())
  const artifacts = drydock.openArtifacts()
  const layers = createDependencyLayers({ history, workTrees, artifacts, sandbox })
  await artifacts.removeUnfinished()
  const homes = createAgentHomes(state)
  const deps = { artifacts, store, clock, layers, history, workTrees, homes, blobs, transact: store.transact }
  const collected = await collectGarbage(deps, clock.now(), signal)
  await history.tidy(signal)
  await workTrees.tidy(signal)
  return collected
}

interface Owning extends Opening, OwnOptions, Omit<Collecting, 'signal'> {}

async function own(
  drydock: Drydock,
  { database, coders, onFailure, asked = 'all', only = false, beforeCommit, afterCommit }: Owning,
): Promise<Owner | null> {
  const { state, clock, sandbox, history, workTrees, userRepository, publisher, redact } = drydock
  await makeStateFolder(state)
  const lock = takeOwnerLock(join(state, 'owner.lock'))
  if (lock === null) return null
  const closing = new AsyncDisposableStack()
  closing.defer(() => lock.release())
  try {
    const store = await database.open({ owner: true, ...(beforeCommit && { beforeCommit }) })
    closing.defer(() => store.close())
    const scope = createScope(asked, { only })
    const engine = createEmbeddedEngine({ store, clock, onFailure, takes: scope.takes })
    const sandboxes = createSandboxes(sandbox, workTrees)
    const artifacts = drydock.openArtifacts()
    const layers = createDependencyLayers({ history, workTrees, artifacts, sandbox })
    const parts = createTreeParts({ workTrees, layers })
    const { model, readConfig, beside, guides, notifiers, user, receipts, timetable, telemetry } = drydock
    const live = openLiveWork(drydock)
    const slots = slotNames(coders, await slotsAtRest(store, scope))
    const architect = createArchitectSandbox({ sandbox, workTrees, slots, mirror: join(state, 'mirror.git') })
    const workflow = createWorkflow({
      ...{ engine, store, history, workTrees, userRepository, publisher, sandbox, sandboxes, architect, clock, redact },
      ...{
        live,
        artifacts,
        layers,
        parts,
        receipts,
        slots,
        scope,
        model,
        readConfig,
        beside,
        guides,
        timetable,
        telemetry,
      },
      scheduled: async (due) => (await import('./app/commands/scheduled-start.ts')).scheduledStart(drydock, due),
      land: async (landing) =>
        (await import('./app/commands/land/next-step.ts')).nextStep(drydock, await openReceipts(drydock.env), landing),
      ...{ testsOfTrees: createTestsOfTrees(), prices: createPrices(user.prices), trailers: user.commit.trailers },
      ...{ foreign: drydock.foreign, mcpServers: drydock.mcpServers, blobs: drydock.blobs },
      ...{ reports: redactedReports(createTestReports(), redact), notifying: { notifiers, on: user.notify.on } },
    })
    const wake = () => void workflow.applyCommands().then(() => socket.keepFacts(), onFailure)
    const socket = await ownerSocket.listenAsOwner(ownerSocket.ownerSocketPath(state), {
      facts: () => ({ pid: process.pid, asked: scope.asked(), only }),
      wake,
      ask: (more) => void workflow.ask(more).then(() => socket.keepFacts(), onFailure),
      live,
    })
    closing.defer(() => socket.close())
    if (afterCommit) engine.onCommit(afterCommit)
    engine.onCommit(socket.announce)
    await workflow.start()
    return {
      onChange: (listener) => void engine.onCommit(listener),
      wake,
      stop: (stopping) => workflow.stop(stopping).finally(() => closing.disposeAsync()),
    }
  } catch (error) {
    await closing.disposeAsync()
    throw error
  }
}

/** Serves the dashboard to browsers of this machine, or names the process that does. */
export const serveDashboard = async (drydock: Drydock, serving: DashboardServing): Promise<Dashboard> =>
  (await import('./compose/serve-state.ts')).serveToUser(drydock, await openReceipts(drydock.env), serving)

/** Serves the dashboard and the API to a team. DrydockError `bad_usage`, `port_taken`. */
export const serveHub = async (drydock: Drydock, serving: HubServing): Promise<ServingHub> =>
  (await import('./compose/serve-state.ts')).serveToTeam(drydock, await openReceipts(drydock.env), serving)
