import { realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createArtifacts } from './adapters/artifacts/artifacts.ts'
import { folderSizes } from './adapters/artifacts/folder-sizes.ts'
import { removeFolder as removeAnyFolder } from './adapters/artifacts/remove-folder.ts'
import { createBlobs } from './adapters/blobs/create-blobs.ts'
import { createTimetable } from './adapters/clock/timetable.ts'
import { createEmbeddedEngine, type EmbeddedEngineOptions } from './adapters/engine/embedded-engine.ts'
import { takeOwnerLock } from './adapters/engine/owner-lock.ts'
import * as ownerSocket from './adapters/engine/owner-socket.ts'
import { createForge } from './adapters/forge/create-forge.ts'
import { createGitPorts } from './adapters/git/git-ports.ts'
import { stateName } from './adapters/git/state-name.ts'
import { findRepository, refsOf } from './adapters/git/user-repository/find-repository.ts'
import { createNoteReads } from './adapters/git/user-repository/note-reads.ts'
import { createModel } from './adapters/models/create-model.ts'
import { createNotifiers } from './adapters/notify/create-notifiers.ts'
import { createReceiptReader } from './adapters/receipts/receipt-reader.ts'
import { createReceipts } from './adapters/receipts/receipts.ts'
import { ownKeyIn } from './adapters/receipts/signing-key.ts'
import { globMatcher } from './adapters/sandbox/runner/glob.ts'
import { createDatabase } from './adapters/store/database.ts'
import { openHubRows } from './adapters/store/hub/open-hub-rows.ts'
import * as knownRepositories from './adapters/store/known-repository.ts'
import { openForgeCalls } from './adapters/store/open-forge-calls.ts'
import { checkStateFolder, makeStateFolder } from './adapters/store/state-folder.ts'
import { createTelemetry } from './adapters/telemetry/create-telemetry.ts'
import { createTestReports } from './adapters/test-reports/create.ts'
import type { Drydock } from './app/drydock.ts'
import type { Opening } from './app/opening.ts'
import { createBeside } from './compose/beside.ts'
import { openMachine } from './compose/open-machine.ts'
import { openStoredFiles } from './compose/open-stored-files.ts'
import type { StateOpening } from './compose/own-state.ts'
import { ownerCommands } from './compose/owner-commands.ts'
import type { tryHub as tryIt } from './compose/try-hub.ts'
import type { workForHub as work } from './compose/work-for-hub.ts'
import type { workerHere as here } from './compose/worker-here.ts'
import { blobSettings } from './config/blob-settings.ts'
import { databaseServer } from './config/database/database-server.ts'
import {
  type EnvironmentVariables,
  readEnvironment,
  readHookVariables,
  readModelVariables,
} from './config/environment.ts'
import { chooseForge } from './config/forge/choose-forge.ts'
import { loadUserConfig, resolveConfig } from './config/load.ts'
import { oidcSettings } from './config/oidc-settings.ts'
import type { UserConfig } from './config/schema.ts'
import { telemetrySettings } from './config/telemetry.ts'
import { claimsIn } from './domain/hub/person.ts'
import { hubHost } from './domain/worker/worker-name.ts'
import type { ConnectHub } from './ports/hub/hub-client.ts'
import type { Listening } from './ports/owner.ts'
import type { ReceiptReader } from './ports/receipts.ts'
import { version } from './processes/installation.ts'
import type { HubServing, ServingHub } from './server/http/hub/serve-hub.ts'
import type { Dashboard, DashboardServing } from './server/http/serve-dashboard.ts'
import { createGuides } from './workflow/guide/guides.ts'
import { checkRunPrices } from './workflow/run/check-prices.ts'
import { withStoredLogs } from './workflow/stored/with-stored-logs.ts'

/** Throws DrydockError `not_a_repository` or `bad_config`. */
export async function openDrydock(options: Opening): Promise<Drydock> {
  const { directory, flags = {} } = options
  const machine = await openMachine(options)
  const { environment, env, user, clock, redact, redactSpeech, sandbox, agent, model, mcpServers } = machine
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
  const keep = () => knownRepositories.keepRepository(state, repositoryPath)
  const takeLock = () => takeOwnerLock(join(state, 'owner.lock'))
  async function open({ shared = false, ...opening }: StateOpening) {
    const together = shared ? await database.share(opening) : null
    if (together !== null) {
      // Loaded only by a hub with a shared state, since a single machine does not need it.
      const { createSharedEngine } = await import('./adapters/engine/shared-engine.ts')
      const given = { store: together, host: hubHost, keepsState: true }
      const createEngine = (rest: EngineRest) => createSharedEngine({ ...given, ...rest })
      return { store: together, isShared: true, createEngine }
    }
    const store = await database.open({ owner: true, ...opening })
    return { store, isShared: false, createEngine: (rest: EngineRest) => createEmbeddedEngine({ store, ...rest }) }
  }
  const owner = {
    open,
    listen: (on: Listening) => ownerSocket.listenAsOwner(ownerSocket.ownerSocketPath(state), on),
    prices: machine.prices,
    reports: createTestReports(),
  }
  const drydock: Drydock = {
    repository,
    state,
    user,
    clock,
    redact,
    redactSpeech,
    artifacts,
    receipts,
    sandbox,
    agent,
    env: options.env,
    ...git,
    blobs,
    storedFiles,
    openReceipts: () => openReceipts(options.env),
    openArtifacts: () => withStoredLogs(createArtifacts(artifacts, redact), storedFiles),
    guides: createGuides({ ...git, globMatcher }),
    beside: createBeside({
      repository,
      user,
      globMatcher,
      git: beside,
      refsOf: (path) => refsOf(path, env),
      find: (directory) => findRepository(directory, env),
      check: (path) => checkStateFolder(state, { repositoryPath: path, readOnlyPaths: [] }),
    }),
    clone: async (url) => makeStateFolder(state).then(() => clone(url)),
    notifiers: createNotifiers(user.notify, readHookVariables(env)),
    telemetry: createTelemetry(telemetrySettings(user.telemetry, env), { version: version(), redact, state }),
    timetable: createTimetable(),
    checkPrices: (starting) => checkRunPrices(owner, starting),
    model,
    mcpServers,
    foreign: machine.foreignIn(state),
    readConfig: (request) => resolveConfig({ ...request, user, repositoryPath, flags }),
    openRecords: database.openRecords,
    checkDatabase: database.check,
    async copyState(to) {
      const { copyState } = await import('./adapters/store/copy-state.ts')
      return copyState({ ...stored, to, takeLock })
    },
    ensureState: () => database.ensure().then(keep),
    async submit(key, command) {
      await makeStateFolder(state).then(keep)
      const store = await database.open()
      await store.transact((tx) => tx.insertCommand({ key, command })).finally(() => store.close())
      return key
    },
    openForge: async (url, name) => createForge(chooseForge({ user, env, url, name })),
    openForgeCalls: () => openForgeCalls(database),
    stateAddress: database.address,
    workersNow: database.workers,
    drainWorkers: database.drain,
    makeWorkerRole: database.makeWorkerRole,
    openHubRows: (opening) => openHubRows(database, opening),
    async openPeopleDoor() {
      const settings = oidcSettings(user, env)
      if (settings === null) return null
      // Loaded only if it is configured.
      const { createOpenIdProvider } = await import('./adapters/identity/openid-provider.ts')
      const { rules, sessionMs, ...client } = settings
      return { provider: createOpenIdProvider({ ...client, wanted: claimsIn(rules) }, clock), rules, sessionMs }
    },
    lockForgeWatch: () => makeStateFolder(state).then(() => takeOwnerLock(join(state, 'forge-watch.lock'))),
    async collect(signal) {
      if (!database.isThere()) return { verifications: [], refs: [], cacheBytes: 0, blobs: null }
      const lock = takeLock()
      return lock && (await loadOwner()).collectState(drydock, { lock, open, signal })
    },
    sizes: () => folderSizes(state),
    async expectToOwn() {
      if ((await drydock.ownerFacts()) === null) await loadOwner()
    },
    async own(given) {
      await makeStateFolder(state)
      const lock = takeLock()
      return (
        lock &&
        (await loadOwner()).ownState(drydock, { ...options, ...given, ...owner, ...ownerCommands(drydock), lock })
      )
    },
    atHub: null,
    connect: (on) => ownerSocket.connectToOwner(ownerSocket.ownerSocketPath(state), on),
    ownerFacts: () => ownerSocket.readOwnerFacts(ownerSocket.ownerSocketPath(state)),
  }
  return drydock
}

/** The client for hubs, with its tokens. */
export const hubClients = async (env: EnvironmentVariables): Promise<ConnectHub> => {
  const { createHubClient } = await import('./adapters/hub/hub-client.ts')
  const authorities = join(readEnvironment(env).stateRoot, 'hub-authorities.pem')
  return (to) => createHubClient({ ...to, env, authorities })
}

export const removeFolder: typeof removeAnyFolder = (path) => removeAnyFolder(path)
/** Null while another process has the lock. Throws DrydockError `state_unusable`. */
export const takeFolderLock: typeof takeOwnerLock = (file) => takeOwnerLock(file)
/** Registers the folder of a bench with the dashboards of this installation. */
export async function keepBench(env: EnvironmentVariables, folder: string): Promise<void> {
  const known = await import('./adapters/benches/known-benches.ts')
  await known.keepBench(readEnvironment(env).stateRoot, folder)
}

/** Throws if a model cannot be used, as far as this is known without a request. */
export function checkModel(id: string, env: EnvironmentVariables, { providers }: UserConfig): void {
  createModel({ id, providers, env: readModelVariables(env, providers) })
}

/** Reads receipts with only the user's configuration. Throws DrydockError `bad_config`. */
export async function openReceipts(env: EnvironmentVariables): Promise<ReceiptReader> {
  const { file: configFile, receipts } = await loadUserConfig(env)
  return createReceiptReader({
    configFile,
    trustedKeys: receipts.trusted_keys,
    ownKey: ownKeyIn(readEnvironment(env).stateRoot),
    ...createNoteReads(env),
  })
}

const onlyAsking = { change: () => undefined, gone: () => undefined }

type EngineRest = Omit<EmbeddedEngineOptions, 'store'>

/**
 * The owner's code, loaded only by a process that works on a state, so that a process that only
 * reads starts faster.
 */
const loadOwner = () => import('./compose/own-state.ts')

/** Serves the dashboard to browsers of this machine, or names the process that already does. */
export async function serveDashboard(drydock: Drydock, serving: DashboardServing): Promise<Dashboard> {
  const { state, env, user, clock, redact } = drydock
  const stored = { server: databaseServer(user, env), clock, redact }
  const { serveToUser } = await import('./compose/serve-state.ts')
  const { createElsewhere, createInstallation } = await import('./compose/elsewhere.ts')
  const installation = createInstallation(dirname(state), {
    ...knownRepositories,
    nameOf: stateName,
    openRecords: (other) => createDatabase({ state: other, ...stored }).openRecords(),
    async isOwned(other) {
      const connection = await ownerSocket.connectToOwner(ownerSocket.ownerSocketPath(other), onlyAsking)
      connection?.close()
      return connection !== null
    },
  })
  const elsewhere = createElsewhere(drydock, installation, openDrydock)
  const { openBenches } = await import('./adapters/benches/known-benches.ts')
  const { createBenchViews } = await import('./app/views/bench/benches.ts')
  const benches = createBenchViews(openBenches(dirname(state)))
  return serveToUser(drydock, await drydock.openReceipts(), serving, { elsewhere, benches })
}

/** Serves the dashboard and the API to a team. Throws DrydockError `bad_usage` or `port_taken`. */
export const serveHub = async (drydock: Drydock, serving: HubServing): Promise<ServingHub> =>
  (await import('./compose/serve-state.ts')).serveToTeam(drydock, await drydock.openReceipts(), serving)

/** Works on another machine's state; see `work-for-hub.ts`. */
export const workForHub: typeof work = async (...given) =>
  (await import('./compose/work-for-hub.ts')).workForHub(...given)

/** Finds a worker of this machine; see `worker-here.ts`. */
export const workerHere: typeof here = async (...given) =>
  (await import('./compose/worker-here.ts')).workerHere(...given)

/** Checks a worker's access to a hub; see `try-hub.ts`. */
export const tryHub: typeof tryIt = async (...given) => (await import('./compose/try-hub.ts')).tryHub(...given)
