import { createSystemClock } from '../../src/adapters/clock/system-clock.ts'
import { createTimetable } from '../../src/adapters/clock/timetable.ts'
import { createEmbeddedEngine } from '../../src/adapters/engine/embedded-engine.ts'
import { createPrices } from '../../src/adapters/prices/price-list.ts'
import { globMatcher } from '../../src/adapters/sandbox/runner/glob.ts'
import { createTelemetry } from '../../src/adapters/telemetry/create-telemetry.ts'
import { createTestReports } from '../../src/adapters/test-reports/create.ts'
import { redactedModel } from '../../src/agents/redacted-model.ts'
import type { Drydock } from '../../src/app/drydock.ts'
import { ownState } from '../../src/compose/own-state.ts'
import { loadUserConfig, resolveConfig } from '../../src/config/load.ts'
import { parseConfig } from '../../src/config/parse-config.ts'
import { userSchema } from '../../src/config/schema.ts'
import { telemetrySettings } from '../../src/config/telemetry.ts'
import { DrydockError } from '../../src/domain/drydock-error.ts'
import { createRedactor } from '../../src/domain/secrets/redact.ts'
import { createSpeechRedactor } from '../../src/domain/secrets/redact-speech.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { JobStore } from '../../src/ports/jobs.ts'
import type { Model } from '../../src/ports/model.ts'
import type { Listening, Owner } from '../../src/ports/owner.ts'
import type { Receipts } from '../../src/ports/receipts.ts'
import type { Records } from '../../src/ports/store.ts'
import { createGuides } from '../../src/workflow/guide/guides.ts'
import { checkRunPrices } from '../../src/workflow/run/check-prices.ts'
import { createMemoryArtifacts } from './artifacts.ts'
import { createMemoryGit, createRepository, type MemoryGit, type Repository } from './git.ts'
import type { Tree } from './objects.ts'
import { createMemorySandbox, type Program } from './sandbox.ts'
import { createMemoryStore } from './store.ts'

export interface MemoryOptions {
  /** Files of the first commit; null for a repository without one. */
  readonly files: Tree | null
  readonly programs?: Readonly<Record<string, Program>>
  readonly models: (id: string) => Model | null
  /** The user's configuration, as in their file. */
  readonly user?: object
  readonly clock?: Clock
  readonly beforeCommit?: (records: Records) => void | Promise<void>
}

export interface MemoryDrydock {
  readonly drydock: Drydock
  readonly git: MemoryGit
  readonly repository: Repository
  readonly store: JobStore
  /** Another command begins, with these flags: models are opened anew. */
  begin(flags?: object): void
  close(): Promise<void>
}

const none = (what: string) => () => {
  throw new Error(`a world in memory has no ${what}`)
}

/** All that a command starts from, without a process, a socket or a file. */
export async function createMemoryDrydock(options: MemoryOptions): Promise<MemoryDrydock> {
  const { clock = createSystemClock(), programs = {} } = options
  const [path, state] = ['/memory/repo', '/memory/state']
  const git = createMemoryGit(state)
  const repository = createRepository(git.objects, path, options.files)
  const redact = createRedactor([])
  const redactSpeech = createSpeechRedactor([], redact)
  const store = await createMemoryStore({
    clock,
    redact,
    ...(options.beforeCommit && { beforeCommit: options.beforeCommit }),
  })
  const artifacts = createMemoryArtifacts(`${state}/artifacts`, git.disk, redact)
  const sandbox = createMemorySandbox({ disk: git.disk, checkouts: git.checkouts, programs })
  const user = {
    ...(await loadUserConfig({ HOME: '/memory/home', PATH: '/usr/bin' })),
    ...(options.user && parseConfig(userSchema, { text: JSON.stringify(options.user), file: 'the user' })),
  }
  const env = { HOME: '/memory/home', PATH: '/usr/bin' }
  const { userRepository, publisher, workTrees } = git.beside(repository)
  const models = new Map<string, Model>()
  let flags: object = {}
  const kept = new Map<string, string>()
  const receipts: Receipts = {
    async keep(receipt) {
      const text = kept.get(receipt.commit) ?? JSON.stringify(receipt)
      kept.set(receipt.commit, text)
      return { text, path: `receipts/${receipt.commit}.json` }
    },
    async textOf(commit) {
      const text = kept.get(commit)
      if (text === undefined) throw new DrydockError('receipt_failed', 'The receipt is gone', { todo: 'Verify again.' })
      return text
    },
  }
  /** The owner of the state, where there is one. */
  let owner: { on: Listening | null; followers: Set<() => void> } | null = null
  const withoutClose = { ...store, close: async () => {} }
  const prices = createPrices(user.prices)
  const own = {
    prices,
    reports: createTestReports(),
    openReceipts: async () => none('receipts to be read')() as never,
    open: async () => ({
      store: withoutClose,
      isShared: false,
      createEngine: (rest: never) => createEmbeddedEngine({ store: withoutClose, ...(rest as object) } as never),
    }),
  }
  const unused = none('such part') as never
  const drydock: Drydock = {
    repository: path,
    ...{ env, state, artifacts: `${state}/artifacts`, openArtifacts: () => artifacts, blobs: null, storedFiles: null },
    ...{ user, clock, history: git.history, workTrees, userRepository, publisher, receipts, sandbox },
    remotes: {
      url: unused,
      defaultBranch: unused,
      push: unused,
      pushReceipts: unused,
      sendCommit: unused,
      fetchCommit: unused,
      fetchReceipts: unused,
      fetchBranch: unused,
      first: async () => null,
    },
    control: { answer: unused },
    notifiers: [],
    telemetry: createTelemetry(telemetrySettings(user.telemetry, {}), { version: '0', redact, state }),
    timetable: createTimetable(),
    checkPrices: (starting) => checkRunPrices(own, starting),
    ...{ redact, redactSpeech },
    model(id) {
      const found = models.get(id) ?? options.models(id)
      if (found === null) throw new DrydockError('bad_model', `There is no model ${id}`, { todo: 'Name another.' })
      const model = models.has(id) ? found : redactedModel(found, redact)
      models.set(id, model)
      return model
    },
    agent: unused,
    foreign: {
      agents: unused,
      tools: unused,
      gateways: unused,
      settings: unused,
      homes: { open: unused, lanes: async () => [], remove: async () => {} },
    } as never,
    mcpServers: async () => null,
    readConfig: (request) => resolveConfig({ ...request, user, repositoryPath: path, flags }),
    guides: createGuides({ userRepository, history: git.history, globMatcher } as never),
    beside: unused,
    clone: unused,
    openRecords: () => withoutClose,
    ensureState: async () => {},
    checkDatabase: async () => null,
    copyState: unused,
    async submit(key, command) {
      await store.transact((tx) => tx.insertCommand({ key, command }))
      return key
    },
    atHub: null,
    expectToOwn: async () => {},
    async own(given): Promise<Owner | null> {
      if (owner !== null) return null
      const mine = { on: null as Listening | null, followers: new Set<() => void>() }
      owner = mine
      const lock = { release: () => void (owner = null) }
      const listen = async (on: Listening) => {
        mine.on = on
        return {
          announce: () => mine.followers.forEach((each) => each()),
          keepFacts: async () => {},
          close: async () => {},
        }
      }
      return ownState(drydock, { directory: path, env, ...given, ...own, lock, listen } as never)
    },
    openForge: unused,
    openForgeCalls: unused,
    stateAddress: async () => null,
    workersNow: async () => [],
    drainWorkers: async () => [],
    openHubRows: unused,
    openPeopleDoor: async () => null,
    lockForgeWatch: async () => ({ release: () => {} }),
    collect: async () => null,
    sizes: async () => ({}),
    async connect({ change }) {
      const at = owner
      if (at?.on == null) return null
      at.followers.add(change)
      return {
        facts: at.on.facts(),
        wake: () => at.on?.wake(),
        ask: (asked) => at.on?.ask(asked),
        look: () => {},
        close: () => void at.followers.delete(change),
      }
    },
    ownerFacts: async () => owner?.on?.facts() ?? null,
  }
  return {
    ...{ drydock, git, repository, store },
    begin(given = {}) {
      flags = given
      models.clear()
    },
    close: () => store.close(),
  }
}
