import { realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createAgentHomes } from './adapters/artifacts/agent-homes.ts'
import { createArtifacts } from './adapters/artifacts/artifacts.ts'
import { folderSizes } from './adapters/artifacts/folder-sizes.ts'
import { removeFolder as removeAnyFolder } from './adapters/artifacts/remove-folder.ts'
import { createBlobs } from './adapters/blobs/create-blobs.ts'
import { createTimetable } from './adapters/clock/timetable.ts'
import { takeOwnerLock } from './adapters/engine/owner-lock.ts'
import * as ownerSocket from './adapters/engine/owner-socket.ts'
import { createForge } from './adapters/forge/create-forge.ts'
import { createGitPorts } from './adapters/git/git-ports.ts'
import { stateName } from './adapters/git/state-name.ts'
import { findRepository, refsOf } from './adapters/git/user-repository/find-repository.ts'
import { createNoteReads } from './adapters/git/user-repository/note-reads.ts'
import { askProvider as askForModels } from './adapters/models/ask-provider.ts'
import { createModel } from './adapters/models/create-model.ts'
import { findLocalServers } from './adapters/models/local-servers.ts'
import { createNotifiers } from './adapters/notify/create-notifiers.ts'
import { createReceiptReader } from './adapters/receipts/receipt-reader.ts'
import { createReceipts } from './adapters/receipts/receipts.ts'
import { globMatcher } from './adapters/sandbox/runner/glob.ts'
import { createDatabase, type Database } from './adapters/store/database.ts'
import { openForgeCalls } from './adapters/store/open-forge-calls.ts'
import { openHubRows } from './adapters/store/open-hub-rows.ts'
import { checkStateFolder, makeStateFolder } from './adapters/store/state-folder.ts'
import { createTelemetry } from './adapters/telemetry/create-telemetry.ts'
import type { Drydock } from './app/drydock.ts'
import type { Opening } from './app/opening.ts'
import { createBeside } from './compose/beside.ts'
import { openMachine } from './compose/open-machine.ts'
import { openStoredFiles } from './compose/open-stored-files.ts'
import { own } from './compose/own.ts'
import type { workForHub as work } from './compose/work-for-hub.ts'
import { blobSettings } from './config/blob-settings.ts'
import { databaseServer } from './config/database-server.ts'
import {
  type EnvironmentVariables,
  readEnvironment,
  readHookVariables,
  readModelVariables,
} from './config/environment.ts'
import { chooseForge } from './config/forge/choose-forge.ts'
import { loadUserConfig, resolveConfig } from './config/load.ts'
import type { UserConfig } from './config/schema.ts'
import { telemetrySettings } from './config/telemetry.ts'
import { createDependencyLayers } from './gate/layers/dependency-layers.ts'
import type { ReceiptReader } from './ports/receipts.ts'
import { version } from './processes/installation.ts'
import type { HubServing, ServingHub } from './server/http/hub/serve-hub.ts'
import type { Dashboard, DashboardServing } from './server/http/serve-dashboard.ts'
import { createGuides } from './workflow/guide/guides.ts'
import { checkRunPrices } from './workflow/run/check-prices.ts'
import { type Collected, collectGarbage } from './workflow/run/collect-garbage.ts'
import { alone } from './workflow/share.ts'
import { withStoredLogs } from './workflow/stored/with-stored-logs.ts'

/** DrydockError `not_a_repository`, `bad_config`. */
export async function openDrydock(options: Opening): Promise<Drydock> {
  const { directory, flags = {} } = options
  const machine = await openMachine(options)
  const { environment, env, user, clock, redact, sandbox, agent, model, mcpServers } = machine
  const repository = await findRepository(directory, env)
  const state = join(environment.stateRoot, await stateName(repository))
  const repositoryPath = await realpath(repository)
  await checkStateFolder(state, { repositoryPath, readOnlyPaths: user.sandbox.read_only_paths })
  const stored = { state, server: databaseServer(user, env), clock, redact }
  const database = createDatabase(stored)
  const { beside, clone, ...git } = createGitPorts({ repository, state, environment: env, ...user.commit })
  const artifacts = join(state, 'artifacts')
  const blobs = createBlobs(blobSettings(user, env), { state, clock })
  const storedFiles = openStoredFiles(blobs, database)
  const receipts = createReceipts({ artifacts, installation: dirname(state), version: version(), redact })
  const drydock: Drydock = {
    ...{ repository, state, user, clock, redact, artifacts, receipts, sandbox, agent, env: options.env },
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
    checkPrices: (starting) => checkRunPrices({ prices: machine.prices }, starting),
    ...{ model, mcpServers, foreign: machine.foreignIn(state) },
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
    ...{ stateAddress: database.address, workersNow: database.workers },
    openHubRows: () => openHubRows(database),
    lockForgeWatch: () => makeStateFolder(state).then(() => takeOwnerLock(join(state, 'forge-watch.lock'))),
    collect: (signal) => collect(drydock, { database, signal }),
    sizes: () => folderSizes(state),
    own: (owning) => own(drydock, { ...options, ...owning, database, prices: machine.prices, openReceipts }),
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
  const deps = {
    share: alone,
    artifacts,
    store,
    clock,
    layers,
    history,
    workTrees,
    homes,
    blobs,
    transact: store.transact,
  }
  const collected = await collectGarbage(deps, clock.now(), signal)
  await history.tidy(signal)
  await workTrees.tidy(signal)
  return collected
}

/** Serves the dashboard to browsers of this machine, or names the process that does. */
export const serveDashboard = async (drydock: Drydock, serving: DashboardServing): Promise<Dashboard> =>
  (await import('./compose/serve-state.ts')).serveToUser(drydock, await openReceipts(drydock.env), serving)

/** Serves the dashboard and the API to a team. DrydockError `bad_usage`, `port_taken`. */
export const serveHub = async (drydock: Drydock, serving: HubServing): Promise<ServingHub> =>
  (await import('./compose/serve-state.ts')).serveToTeam(drydock, await openReceipts(drydock.env), serving)

/** Works on the state of another machine. See `work-for-hub.ts`. */
export const workForHub: typeof work = async (...given) =>
  (await import('./compose/work-for-hub.ts')).workForHub(...given)
