import { existsSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createArtifacts } from './adapters/artifacts/artifacts.ts'
import { folderSizes } from './adapters/artifacts/folder-sizes.ts'
import { removeFolder as removeAnyFolder } from './adapters/artifacts/remove-folder.ts'
import { createSystemClock } from './adapters/clock/system-clock.ts'
import { createEmbeddedEngine } from './adapters/engine/embedded-engine.ts'
import { takeOwnerLock } from './adapters/engine/owner-lock.ts'
import * as ownerSocket from './adapters/engine/owner-socket.ts'
import { stateName } from './adapters/git/state-name.ts'
import { findRepository } from './adapters/git/user-repository/find-repository.ts'
import { notedCommit } from './adapters/git/user-repository/noted-commit.ts'
import { createGitWorkspaces } from './adapters/git/workspaces.ts'
import { askProvider as askForModels } from './adapters/models/ask-provider.ts'
import { createModel } from './adapters/models/create-model.ts'
import { createGates } from './adapters/models/gate.ts'
import { findLocalServers } from './adapters/models/local-servers.ts'
import { createNotifiers } from './adapters/notify/create-notifiers.ts'
import { createPrices } from './adapters/prices/price-list.ts'
import { createReceiptReader } from './adapters/receipts/receipt-reader.ts'
import { createReceipts } from './adapters/receipts/receipts.ts'
import { createSandbox } from './adapters/sandbox/create-sandbox.ts'
import { createSqliteStore, openSqliteRecords } from './adapters/store/sqlite-store.ts'
import { checkStateFolder, makeStateFolder } from './adapters/store/state-folder.ts'
import { createTestReports } from './adapters/test-reports/create.ts'
import { redactedModel } from './agents/redacted-model.ts'
import { version } from './cli/version.ts'
import {
  type EnvironmentVariables,
  readContainerVariables,
  readEnvironment,
  readHookVariables,
  readModelVariables,
  readPackageManagerVariables,
} from './config/environment.ts'
import { knownSecrets } from './config/known-secrets.ts'
import {
  type LoadedUserConfig,
  loadUserConfig,
  type ResolvedConfig,
  type RunFlags,
  resolveConfig,
} from './config/load.ts'
import { modelTimeouts } from './config/model-timeouts.ts'
import { sandboxChoice } from './config/sandbox-choice.ts'
import type { Command } from './domain/command.ts'
import { createScope } from './domain/scope.ts'
import { createRedactor, type Redact } from './domain/secrets/redact.ts'
import { slotNames } from './domain/slot-name.ts'
import { createDependencyLayers } from './gate/layers/dependency-layers.ts'
import { createTreeParts } from './gate/layers/tree-parts.ts'
import { redactedReports } from './gate/redacted-reports.ts'
import { createTestsOfTrees } from './gate/tests-of-tree.ts'
import type { Clock } from './ports/clock.ts'
import type { Model } from './ports/model.ts'
import type { Notifier } from './ports/notifier.ts'
import type { ReceiptReader } from './ports/receipts.ts'
import type { Sandbox } from './ports/sandbox.ts'
import type { Records } from './ports/store.ts'
import type { Workspaces } from './ports/workspace.ts'
import type { Dashboard, DashboardServing } from './server/http/serve-dashboard.ts'
import { madeSlots } from './server/made-slots.ts'
import type { StateServing } from './server/serve-state.ts'
import type { ConfigRequest } from './workflow/dependencies.ts'
import { createArchitectSandbox } from './workflow/lane/architect-sandbox.ts'
import { createGuides } from './workflow/lane/guide.ts'
import { createSandboxes } from './workflow/lane/sandboxes.ts'
import type { Owner, OwnOptions } from './workflow/owner.ts'
import { slotsAtRest } from './workflow/rest/slots-at-rest.ts'
import { checkRunPrices, type Priced } from './workflow/run/check-prices.ts'
import { type Collected, collectGarbage } from './workflow/run/collect-garbage.ts'
import { readOutcome, resultNow } from './workflow/run/read-outcome.ts'
import { createWorkflow } from './workflow/workflow.ts'

export interface Options {
  /** Any folder of the user's repository. */
  readonly directory: string
  readonly env: EnvironmentVariables
  readonly flags?: RunFlags
  /** For tests: called inside each transaction right before it is committed, and right after. */
  readonly beforeCommit?: () => void
  readonly afterCommit?: () => void
}

/** One repository with its state, put together: what every command starts from. */
export interface Drydock {
  readonly repository: string
  readonly state: string
  readonly artifacts: string
  readonly user: LoadedUserConfig
  readonly clock: Clock
  readonly workspaces: Workspaces
  readonly sandbox: Sandbox
  readonly notifiers: readonly Notifier[]
  /** DrydockError `no_price` when a Run could not keep to its dollars. Nothing is stored yet. */
  checkPrices(starting: Priced): Promise<void>
  /** Takes secrets out of a text, by value and by shape. */
  readonly redact: Redact
  model(id: string): Model
  readConfig(request: ConfigRequest): Promise<ResolvedConfig>
  /** Reads the state beside its owner; null while there is none. Close it after use. */
  openRecords(): StateReader | null
  /** Stores a command under a unique key. The owner, present or future, applies it once. */
  submit(key: string, command: Command): Promise<void>
  /** Becomes the owner and takes up the work that was asked for; null while another process is. */
  own(options: OwnOptions): Promise<Owner | null>
  /** Removes what is no longer kept; null while another process owns the state and does so. */
  collect(signal: AbortSignal): Promise<Collected | null>
  /** Bytes on the disk of each part of the state, by its name. */
  sizes(): Promise<Readonly<Record<string, number>>>
  /** Serves the state to an MCP client, beside its owner, until the input ends. */
  serveMcp(serving: StateServing): Promise<void>
  /** Serves the dashboard to browsers of this machine, or names the process that does. */
  serveDashboard(serving: DashboardServing): Promise<Dashboard>
  /** Connects to the process that is the owner; null when there is none. */
  connect(on: ownerSocket.Connecting): Promise<ownerSocket.OwnerConnection | null>
  /** What the owner works on, or what the last one did when it was killed. */
  ownerFacts(): Promise<ownerSocket.OwnerFacts | null>
}

/** The records of a state, for reading. */
export interface StateReader extends Records {
  close(): Promise<void>
}

/** DrydockError `not_a_repository`, `bad_config`. */
export async function openDrydock(options: Options): Promise<Drydock> {
  const { directory, flags = {} } = options
  const environment = readEnvironment(options.env)
  const env = { ...options.env, PATH: environment.path }
  const repository = await findRepository(directory, env)
  const user = await loadUserConfig(env)
  const state = join(environment.stateRoot, await stateName(repository))
  const repositoryPath = await realpath(repository)
  await checkStateFolder(state, { repositoryPath, readOnlyPaths: user.sandbox.read_only_paths })
  const clock = createSystemClock()
  const models = new Map<string, Model>()
  const gates = createGates(clock)
  const file = join(state, 'drydock.db')
  const redact = createRedactor(knownSecrets(env, user))

  const drydock: Drydock = {
    ...{ repository, state, user, clock, redact },
    artifacts: join(state, 'artifacts'),
    workspaces: createGitWorkspaces({ repository, state, environment: env, author: user.commit.author }),
    sandbox: await createSandbox({
      ...sandboxChoice(user, flags),
      hostEnv: readContainerVariables(env),
      packageManagers: { home: environment.home, env: readPackageManagerVariables(env) },
    }),
    notifiers: createNotifiers(user.notify, readHookVariables(env)),
    checkPrices: (starting) => checkRunPrices({ prices: createPrices(user.prices) }, starting),
    model(id) {
      const { providers, context } = user
      const contextTokens = Object.hasOwn(context, id) ? context[id] : undefined
      const timeouts = modelTimeouts(user)
      const given = { providers, env: readModelVariables(env, providers), gates, timeouts, contextTokens }
      const model = models.get(id) ?? redactedModel(createModel({ id, ...given }), redact)
      models.set(id, model)
      return model
    },
    readConfig: (request) => resolveConfig({ ...request, user, repositoryPath, flags }),
    openRecords: () => (existsSync(file) ? openSqliteRecords(file) : null),
    async submit(key, command) {
      await makeStateFolder(state)
      const store = await createSqliteStore({ file, clock, redact })
      await store.transact((tx) => tx.insertCommand({ key, command })).finally(() => store.close())
    },
    collect: (signal) => collect(drydock, { file, redact, signal }),
    sizes: () => folderSizes(state),
    own: (owning) => own(drydock, { ...options, ...owning, file, redact }),
    serveMcp: (serving) => serve(drydock, serving, redact),
    serveDashboard: (serving) => dashboard(drydock, serving, redact),
    connect: (on) => ownerSocket.connectToOwner(ownerSocket.ownerSocketPath(state), on),
    ownerFacts: () => ownerSocket.readOwnerFacts(ownerSocket.ownerSocketPath(state)),
  }
  return drydock
}

/** The model servers of this machine; `ports` are for tests. */
export const localServers: typeof findLocalServers = (ports) => findLocalServers(ports)
export const removeFolder: typeof removeAnyFolder = (path) => removeAnyFolder(path)
export const askProvider: typeof askForModels = (...given) => askForModels(...given)

/** What is to be said of a Run, read from a state beside its owner. */
export const outcomes = { read: readOutcome, resultNow }

/** Reads receipts with the user's configuration alone. DrydockError `bad_config`. */
export async function openReceipts(env: EnvironmentVariables): Promise<ReceiptReader> {
  const { file: configFile, receipts } = await loadUserConfig(env)
  return createReceiptReader({
    ...{ configFile, trustedKeys: receipts.trusted_keys, installation: readEnvironment(env).stateRoot },
    notedCommit: (directory, wanted) => notedCommit(directory, wanted, env),
  })
}

interface Collecting {
  readonly file: string
  readonly redact: Redact
  readonly signal: AbortSignal
}

/** As the owner of the state, but without taking its work up. */
async function collect(drydock: Drydock, { file, redact, signal }: Collecting): Promise<Collected | null> {
  const { state, clock, sandbox, workspaces } = drydock
  if (!existsSync(file)) return { verifications: [], refs: [], cacheBytes: 0 }
  const lock = takeOwnerLock(join(state, 'owner.lock'))
  if (lock === null) return null
  await using closing = new AsyncDisposableStack()
  closing.defer(() => lock.release())
  const store = await createSqliteStore({ file, clock, redact })
  closing.defer(() => store.close())
  const artifacts = createArtifacts(drydock.artifacts, redact)
  const layers = createDependencyLayers({ workspaces, artifacts, sandbox })
  await artifacts.removeUnfinished()
  const collected = await collectGarbage({ artifacts, store, clock, layers, workspaces }, clock.now(), signal)
  await workspaces.tidy(signal)
  return collected
}

interface Owning extends Options, OwnOptions, Omit<Collecting, 'signal'> {}

async function own(
  drydock: Drydock,
  { file, redact, coders, onFailure, asked = 'all', only = false, beforeCommit, afterCommit }: Owning,
): Promise<Owner | null> {
  const { state, clock, sandbox, workspaces } = drydock
  await makeStateFolder(state)
  const lock = takeOwnerLock(join(state, 'owner.lock'))
  if (lock === null) return null
  const closing = new AsyncDisposableStack()
  closing.defer(() => lock.release())
  try {
    const store = await createSqliteStore({ file, clock, redact, ...(beforeCommit && { beforeCommit }) })
    closing.defer(() => store.close())
    const scope = createScope(asked, { only })
    const engine = createEmbeddedEngine({ store, clock, onFailure, takes: scope.takes })
    const sandboxes = createSandboxes(sandbox, workspaces)
    const artifacts = createArtifacts(drydock.artifacts, redact)
    const layers = createDependencyLayers({ workspaces, artifacts, sandbox })
    const parts = createTreeParts({ workspaces, layers })
    const kept = { installation: dirname(state), artifacts: drydock.artifacts }
    const receipts = createReceipts({ ...kept, version: version(), redact })
    const { model, readConfig, notifiers, user } = drydock
    const slots = slotNames(coders, await slotsAtRest(store, scope))
    const architect = createArchitectSandbox({ sandbox, workspaces, slots, mirror: join(state, 'mirror.git') })
    const workflow = createWorkflow({
      ...{ engine, store, workspaces, sandbox, sandboxes, architect, clock, redact },
      ...{ artifacts, layers, parts, receipts, slots, scope, model, readConfig, guide: createGuides(workspaces) },
      ...{ testsOfTrees: createTestsOfTrees(), prices: createPrices(user.prices), trailers: user.commit.trailers },
      ...{ reports: redactedReports(createTestReports(), redact), notifying: { notifiers, on: user.notify.on } },
    })
    const wake = () => void workflow.applyCommands().then(() => socket.keepFacts(), onFailure)
    const socket = await ownerSocket.listenAsOwner(ownerSocket.ownerSocketPath(state), {
      facts: () => ({ pid: process.pid, asked: scope.asked(), only }),
      wake,
      ask: (more) => void workflow.ask(more).then(() => socket.keepFacts(), onFailure),
    })
    closing.defer(() => socket.close())
    if (afterCommit) engine.onCommit(afterCommit)
    engine.onCommit(socket.announce)
    await workflow.start()
    return {
      onChange: (listener) => void engine.onCommit(listener),
      wake,
      async stop(stopping) {
        try {
          await workflow.stop(stopping)
        } finally {
          await closing.disposeAsync()
        }
      },
    }
  } catch (error) {
    await closing.disposeAsync()
    throw error
  }
}

/** What it needs is loaded only here: no other command does. */
async function serve(drydock: Drydock, serving: StateServing, redact: Redact): Promise<void> {
  const { serveState } = await import('./server/serve-state.ts')
  const artifacts = createArtifacts(drydock.artifacts, redact)
  const mirror = join(drydock.state, 'mirror.git')
  await serveState({ ...drydock, ...serving, artifacts, redact, mirror, slots: () => madeSlots(drydock.workspaces) })
}

/** What it needs is loaded only here, too. */
async function dashboard(drydock: Drydock, serving: DashboardServing, redact: Redact) {
  const { serveDashboard } = await import('./server/http/serve-dashboard.ts')
  const { state, clock } = drydock
  await makeStateFolder(state)
  return serveDashboard({
    ...{ ...drydock, ...serving, redact, now: clock.now },
    artifacts: createArtifacts(drydock.artifacts, redact),
    installation: dirname(state),
    folder: join(import.meta.dirname, '..', 'dist', 'dashboard'),
  })
}
