import type { Socket } from 'node:net'
import { join, resolve } from 'node:path'
import { createSystemClock } from '../../src/adapters/clock/system-clock.ts'
import { createTimetable } from '../../src/adapters/clock/timetable.ts'
import { createEmbeddedEngine, type EmbeddedEngineOptions } from '../../src/adapters/engine/embedded-engine.ts'
import { createOnlookers } from '../../src/adapters/engine/onlookers.ts'
import { createModel } from '../../src/adapters/models/create-model.ts'
import { createGates } from '../../src/adapters/models/gate.ts'
import { createKeptTrials } from '../../src/adapters/models/trial/kept-trials.ts'
import { createNotifiers } from '../../src/adapters/notify/create-notifiers.ts'
import { createPrices } from '../../src/adapters/prices/price-list.ts'
import { globMatcher } from '../../src/adapters/sandbox/runner/glob.ts'
import { createTelemetry } from '../../src/adapters/telemetry/create-telemetry.ts'
import { createTestReports } from '../../src/adapters/test-reports/create.ts'
import { redactedModel } from '../../src/agents/redacted-model.ts'
import type { Drydock } from '../../src/app/drydock.ts'
import type { Opening } from '../../src/app/opening.ts'
import { collectState, ownState } from '../../src/compose/own-state.ts'
import { ownerCommands } from '../../src/compose/owner-commands.ts'
import { type EnvironmentVariables, readHookVariables, readModelVariables } from '../../src/config/environment.ts'
import { knownSecrets } from '../../src/config/known-secrets.ts'
import { loadUserConfig, resolveConfig } from '../../src/config/load.ts'
import { modelTimeouts } from '../../src/config/model-timeouts.ts'
import { telemetrySettings } from '../../src/config/telemetry.ts'
import { DrydockError } from '../../src/domain/drydock-error.ts'
import { parseIdentity } from '../../src/domain/identity.ts'
import { type RunScope, union } from '../../src/domain/scope.ts'
import { createRedactor } from '../../src/domain/secrets/redact.ts'
import { createSpeechRedactor } from '../../src/domain/secrets/redact-speech.ts'
import type { Artifacts } from '../../src/ports/artifacts.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { JobStore } from '../../src/ports/jobs.ts'
import type { Model } from '../../src/ports/model.ts'
import type { Connecting, Listening, OwnerFacts } from '../../src/ports/owner.ts'
import type { ReceiptReader, Receipts } from '../../src/ports/receipts.ts'
import type { Records } from '../../src/ports/store.ts'
import { createGuides } from '../../src/workflow/guide/guides.ts'
import type { Beside } from '../../src/workflow/repositories.ts'
import { checkRunPrices } from '../../src/workflow/run/check-prices.ts'
import { createMemoryArtifacts } from './artifacts.ts'
import { userName } from './git/repository.ts'
import { commitAll, createMemoryGit, createRepository, type MemoryGit, type Repository, revision } from './git.ts'
import type { Tree } from './objects.ts'
import type { MemoryProcess } from './process.ts'
import { createMemoryKey, createMemoryReceiptReader, createMemoryReceipts } from './receipts.ts'
import { createScriptedSandbox, type Program } from './sandbox.ts'
import { createMemoryState, createMemoryStore, type MemoryState } from './store.ts'

export interface MachineOptions {
  /** A folder of the host for files that people write, such as the user's configuration. */
  readonly folder: string
  /** Files of the first commit; null for a repository without one. */
  readonly files: Tree | null
  /** Programs by the whole command, or by its first word. */
  readonly programs?: Readonly<Record<string, Program>>
  readonly env: EnvironmentVariables
  readonly clock?: Clock
  /** Signs receipts, and reads them from the repository's notes; by default nothing reads them. */
  readonly signing?: (repository: Repository) => { readonly receipts: Receipts; readonly reader: ReceiptReader }
  /** Called before each commit; true loses the transaction, which starts again. */
  readonly isLost?: () => boolean
  /** Further parts of its processes, such as a forge. */
  readonly extend?: (drydock: Drydock) => Partial<Drydock>
}

/** A machine in memory: a user's repositories and one state, on which processes work. */
export interface Machine {
  readonly git: MemoryGit
  /** The repository to which the state belongs. */
  readonly repository: Repository
  readonly store: JobStore
  readonly rows: MemoryState
  readonly artifacts: Artifacts
  readonly sandbox: ReturnType<typeof createScriptedSandbox>
  /** Names of checkouts that cannot be created. */
  readonly blocked: Set<string>
  addRepository(path: string, files: Tree, branch: string): Repository
  /** Reads receipts from the repository's notes. */
  readonly receipts: ReceiptReader
  open(process: MemoryProcess, opening?: Partial<Opening>): Promise<Drydock>
  close(): Promise<void>
}

/** Parts that a machine in memory lacks: a test that needs them must use real ones. */
const missing = (part: string) => (): never => {
  throw new Error(`a machine in memory has no ${part}`)
}

/** The owning process of the state, and its followers. */
interface Ownership {
  readonly process: MemoryProcess
  on: Listening | null
  /** Each follower, with the Runs that it has requested. */
  readonly followers: Map<Connecting, RunScope>
}

const systemClock = createSystemClock()

export async function createMachine(options: MachineOptions): Promise<Machine> {
  const { programs = {}, folder } = options
  const [path, state] = [`${folder}/repo`, `${folder}/state`]
  const git = createMemoryGit(state)
  const repository = createRepository(git.objects, path, options.files)
  const repositories = new Map([[path, repository]])
  let redact: (text: string) => string = String
  /** Hook of the process with the open transaction. */
  let beforeCommit: Opening['beforeCommit']
  const rows = await createMemoryState()
  const openStore = (clock: Clock) =>
    createMemoryStore({
      state: rows,
      clock,
      redact: (text: string) => redact(text),
      beforeCommit: (records: Records) => beforeCommit?.(records),
      ...(options.isLost && { isLost: options.isLost }),
    })
  const shared = await openStore(options.clock ?? systemClock)
  const artifacts = createMemoryArtifacts(`${state}/artifacts`, git.disk, (text) => redact(text))
  const sandbox = createScriptedSandbox({ disk: git.disk, checkouts: git.checkouts, programs })
  const blocked = new Set<string>()
  let owner: Ownership | null = null
  /**
   * The last owner, with the Runs that it had when it was killed, or that its followers had when it
   * ended.
   */
  let left: OwnerFacts | null = null

  /** The rows for one process. A transaction also ends for a process that was killed in it. */
  async function storeOf(process: MemoryProcess, hooks: Partial<Opening>): Promise<JobStore> {
    const { clock } = hooks
    const store = clock === undefined ? shared : await openStore(clock)
    return process.mortal({
      ...store,
      transact(work) {
        const mine = async (records: Records) => {
          await hooks.beforeCommit?.(records)
          if (process.hasEnded()) throw new Error('the process was killed')
        }
        const done = store.transact(async (tx) => {
          beforeCommit = mine
          return work(tx)
        })
        // The test's own writes belong to no process.
        return done.finally(() => {
          if (beforeCommit === mine) beforeCommit = undefined
        })
      },
      close: async () => {},
    } satisfies JobStore)
  }

  /** The rows for the test itself, without any process's hooks. */
  const ofNobody: JobStore = {
    ...shared,
    transact: (work) =>
      shared.transact((tx) => {
        beforeCommit = undefined
        return work(tx)
      }),
  }
  const key = createMemoryKey()
  const { receipts, reader } = options.signing?.(repository) ?? {
    receipts: createMemoryReceipts({ key, version: '0', redact: (text) => redact(text) }),
    reader: createMemoryReceiptReader(
      {
        path,
        commits: git.objects.commits,
        notes: repository.notes,
        resolve: (name) => revision(repository, name),
      },
      key,
    ),
  }

  function takeOwnership(process: MemoryProcess) {
    if (owner !== null) return null
    const mine: Ownership = { process, on: null, followers: new Map() }
    owner = mine
    const release = () => {
      if (owner !== mine) return
      owner = null
      for (const { gone } of mine.followers.keys()) setImmediate(gone)
      mine.followers.clear()
    }
    process.onEnd(() => {
      if (mine.on !== null) left = mine.on.facts()
      release()
    })
    const listen = async (on: Listening) => {
      mine.on = on
      left = null
      return {
        announce: () => {
          for (const { change } of mine.followers.keys()) setImmediate(change)
        },
        keepFacts: async () => {},
        async close() {
          // Like over a socket: the next owner of the state works for all remaining followers.
          const asked = [...mine.followers.values()].reduce<RunScope>(union, [])
          if (asked.length > 0) left = { pid: on.facts().pid, asked, only: false }
          mine.on = null
        },
      }
    }
    return { lock: { release }, listen }
  }

  function besideOf(process: MemoryProcess, at: string, author = '') {
    const found = repositories.get(at)
    if (found === undefined)
      throw new DrydockError('not_a_repository', `${at} is not in a git repository.`, { todo: 'Name another folder.' })
    const { userRepository, publisher, workTrees } = git.beside(found)
    const { mortal } = process
    const checkout: typeof workTrees.checkout = async (name, ...rest) => {
      if (!blocked.has(name)) return workTrees.checkout(name, ...rest)
      throw new DrydockError('git_failed', `${name} is in the way.`, { todo: 'Remove it.' })
    }
    return {
      userRepository: mortal({
        ...userRepository,
        author: async () => (author === 'user' ? userName : parseIdentity(author)),
      }),
      publisher: mortal(publisher),
      workTrees: mortal({ ...workTrees, checkout }),
    }
  }

  async function open(process: MemoryProcess, opening: Partial<Opening> = {}): Promise<Drydock> {
    const { mortal } = process
    const { flags = {}, env = options.env } = opening
    const clock = opening.clock ?? options.clock ?? systemClock
    const user = await loadUserConfig(env)
    const secrets = knownSecrets(env, user)
    redact = createRedactor(secrets)
    const ports = { redact, redactSpeech: createSpeechRedactor(secrets, redact), sandbox: sandbox.of(process) }
    const gates = createGates(clock)
    const file = join(options.folder, 'tried-models')
    const isTrying = env.DRYDOCK_MODEL_TRIAL !== 'off'
    const trials = isTrying ? { kept: createKeptTrials({ file, edition: '0', clock }), clock } : undefined
    const models = new Map<string, Model>()
    const neighbours = new Map<string, Beside>()
    const own = await storeOf(process, opening)
    const prices = createPrices(user.prices)
    const { userRepository, publisher, workTrees } = besideOf(process, path, user.commit.author)
    const guides = createGuides({ userRepository, globMatcher })
    const opened = {
      store: own,
      isShared: false,
      createEngine: (rest: Omit<EmbeddedEngineOptions, 'store'>) => createEmbeddedEngine({ store: own, ...rest }),
    }
    const drydock: Drydock = {
      repository: path,
      env,
      state,
      artifacts: `${state}/artifacts`,
      openArtifacts: () => mortal(artifacts),
      ...ports,
      blobs: null,
      storedFiles: null,
      user,
      clock,
      history: mortal(git.history),
      workTrees,
      userRepository,
      publisher,
      receipts: mortal(receipts),
      guides,
      timetable: createTimetable(),
      remotes: {
        async url(name) {
          throw new DrydockError('bad_usage', `The repository has no remote "${name}".`, {
            todo: `git remote add ${name} <url>`,
          })
        },
        defaultBranch: missing('remotes'),
        push: missing('remotes'),
        pushReceipts: missing('remotes'),
        sendCommit: missing('remotes'),
        fetchCommit: missing('remotes'),
        fetchReceipts: missing('remotes'),
        fetchBranch: missing('remotes'),
        first: async () => null,
      },
      control: { answer: missing('hub') },
      notifiers: createNotifiers(user.notify, readHookVariables(env)),
      telemetry: createTelemetry(telemetrySettings(user.telemetry, env), { version: '0', redact, state }),
      checkPrices: (starting) => checkRunPrices({ prices }, starting),
      model(id) {
        const known = models.get(id)
        if (known !== undefined) return known
        const { providers, context } = user
        const contextTokens = Object.hasOwn(context, id) ? context[id] : undefined
        const given = { env: readModelVariables(env, providers), gates, timeouts: modelTimeouts(user), contextTokens }
        const model = mortal(redactedModel(createModel({ id, providers, ...given, trials }), redact))
        models.set(id, model)
        return model
      },
      agent: missing('foreign agents'),
      foreign: {
        agents: { open: missing('foreign agents') },
        tools: { open: missing('foreign agents') },
        gateways: { open: missing('foreign agents') },
        settings: missing('foreign agents'),
        homes: { open: missing('foreign agents'), lanes: async () => [], remove: async () => {} },
      },
      mcpServers: async () => null,
      readConfig: (request) => resolveConfig({ ...request, user, repositoryPath: path, flags }),
      async beside(directory) {
        const at = resolve(path, directory)
        const found = neighbours.get(at)
        if (found !== undefined) return found
        const ports = besideOf(process, at, user.commit.author)
        const made: Beside = {
          path: at,
          refs: `${at}/.git`,
          ...ports,
          guides: createGuides({ ...ports, globMatcher }),
          readConfig: (request) => resolveConfig({ ...request, user, repositoryPath: at, flags: {} }),
        }
        neighbours.set(at, made)
        return made
      },
      clone: missing('clones'),
      openReceipts: async () => reader,
      openRecords: () => own,
      ensureState: async () => {},
      checkDatabase: async () => null,
      copyState: missing('files of a state'),
      async submit(key, command) {
        await own.transact((tx) => tx.insertCommand({ key, command }))
        return key
      },
      atHub: null,
      expectToOwn: async () => {},
      async own(given) {
        const taken = takeOwnership(process)
        if (taken === null) return null
        // One tree at a time, so that a story is the same on any machine.
        const parts = { prices, reports: createTestReports(), atOnce: 1, ...ownerCommands(drydock) }
        const { afterCommit } = opening
        return ownState(drydock, {
          ...given,
          ...parts,
          ...taken,
          open: async () => opened,
          ...(opening.beforeCommit && { beforeCommit: opening.beforeCommit }),
          ...(afterCommit && { afterCommit: () => void (process.hasEnded() || afterCommit()) }),
        })
      },
      openForge: missing('forges'),
      openForgeCalls: missing('forges'),
      stateAddress: async () => null,
      workersNow: async () => [],
      makeWorkerRole: async () => null,
      drainWorkers: async () => [],
      openHubRows: missing('hub'),
      openPeopleDoor: async () => null,
      lockForgeWatch: async () => ({ release: () => {} }),
      async collect(signal) {
        const taken = takeOwnership(process)
        return taken && collectState(drydock, { lock: taken.lock, open: async () => opened, signal })
      },
      sizes: async () => ({}),
      async connect(on) {
        const at = owner
        if (at === null || at.on === null) return null
        const follower: Connecting = {
          change: () => void (process.hasEnded() || on.change()),
          gone: () => void (process.hasEnded() || on.gone()),
        }
        at.followers.set(follower, [])
        process.onEnd(() => void at.followers.delete(follower))
        // Lane activity takes the same form as over a socket.
        const onlookers = createOnlookers(at.on.live, (_, work) => on.seen?.(JSON.parse(work)))
        const onlooker = { writableLength: 0 } as Socket
        return {
          facts: at.on.facts(),
          wake: () => void (at.process.hasEnded() || at.on?.wake()),
          ask(asked) {
            if (at.process.hasEnded()) return
            at.followers.set(follower, union(at.followers.get(follower) ?? [], asked))
            at.on?.ask(asked)
          },
          look: (isLooking) => onlookers.look(onlooker, isLooking),
          close() {
            onlookers.close()
            at.followers.delete(follower)
          },
        }
      },
      ownerFacts: async () => owner?.on?.facts() ?? left,
    }
    return Object.assign(drydock, options.extend?.(drydock))
  }

  return {
    git,
    repository,
    store: ofNobody,
    rows,
    artifacts,
    sandbox,
    blocked,
    receipts: reader,
    open,
    addRepository(at, files, branch) {
      const made = createRepository(git.objects, at, null)
      made.head = { branch }
      made.work = new Map(files)
      commitAll(made, 'start')
      repositories.set(at, made)
      return made
    },
    close: () => shared.close(),
  }
}
