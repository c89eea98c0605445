import { randomUUID } from 'node:crypto'
import { statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createArtifacts } from '../adapters/artifacts/artifacts.ts'
import { createBlobs } from '../adapters/blobs/create-blobs.ts'
import { createTimetable } from '../adapters/clock/timetable.ts'
import { takeOwnerLock } from '../adapters/engine/owner-lock.ts'
import { createSharedEngine } from '../adapters/engine/shared-engine.ts'
import { createWorkerGit } from '../adapters/git/worker/worker-git.ts'
import { createHubDoor } from '../adapters/hub-door/hub-door.ts'
import { globMatcher } from '../adapters/sandbox/runner/glob.ts'
import { openGuestStore } from '../adapters/store/hub/open-guest-store.ts'
import { checkStateFolder, makeStateFolder } from '../adapters/store/state-folder.ts'
import { createTestReports } from '../adapters/test-reports/create.ts'
import type { Opening } from '../app/opening.ts'
import { createServerWait } from '../app/wait/server-wait.ts'
import { watchHub } from '../app/wait/watch-hub.ts'
import type { Employing, WorkerProcess } from '../app/worker.ts'
import { blobSettings } from '../config/blob-settings.ts'
import { databaseServer } from '../config/database/database-server.ts'
import { readHubToken } from '../config/hub-variables.ts'
import { DrydockError } from '../domain/drydock-error.ts'
import { freeSpaceIn, hasRoom } from '../domain/free-space.ts'
import { limits } from '../domain/limits.ts'
import { createScope } from '../domain/scope.ts'
import { hostOf, workerSlots } from '../domain/worker/worker-name.ts'
import type { Notifier } from '../ports/notifier.ts'
import type { Publisher } from '../ports/publisher.ts'
import type { Receipts } from '../ports/receipts.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import type { UserRepository } from '../ports/user-repository.ts'
import { createGuides } from '../workflow/guide/guides.ts'
import { createWorkflow } from '../workflow/workflow.ts'
import { noDatabase } from './no-database.ts'
import { openLiveWork } from './open-live-work.ts'
import { openMachine } from './open-machine.ts'
import { workParts } from './work-parts.ts'
import { idFile, workerFolder, workerIdIn } from './worker-here.ts'

/**
 * Works for a hub until it is stopped. Throws DrydockError `bad_config` or `worker_version`, and
 * the errors of the hub's door and of the store.
 */
export async function workForHub(
  options: Pick<Opening, 'env' | 'flags' | 'clock'>,
  given: Employing,
): Promise<WorkerProcess> {
  const { hub, name, coders, onNote } = given
  const machine = await openMachine(options)
  const { environment, env, user, clock, redact, sandbox, prices } = machine
  const token = readHubToken(env)
  const server = databaseServer(user, env)
  if (server === null) throw noDatabase()
  const door = createHubDoor({ url: hub, token })
  const shared = await door.sharedState()
  const folder = workerFolder(environment.stateRoot, shared.state.schema, name)
  await checkStateFolder(folder, { repositoryPath: null, readOnlyPaths: user.sandbox.read_only_paths })
  await makeStateFolder(folder)
  await checkSpace(folder)
  const closing = new AsyncDisposableStack()
  try {
    const lock = takeOwnerLock(join(folder, 'owner.lock'))
    if (lock === null) throw alreadyThere(name)
    closing.defer(() => lock.release())
    const id = await idIn(folder)
    const host = hostOf({ token: shared.token, name, id })
    const wait = createServerWait({ onNote })
    const store = await openGuestStore({ server, address: shared.state, clock, redact, wait })
    closing.defer(() => store.close())
    const offered = Object.groupBy(await store.machines({ kind: 'slot', states: ['OFFERED'] }), ({ data }) =>
      data.host === host ? 'own' : 'taken',
    )
    const namesOf = (these: typeof offered.own) => (these ?? []).map(({ data }) => data.name)
    const names = { own: namesOf(offered.own), taken: namesOf(offered.taken) }
    const slots = workerSlots({ name, id, coders }, names)
    const left = new AbortController()
    closing.defer(() => left.abort(new Error('the worker ends')))
    const control = { urls: () => door.urls().map((url) => `${url}${shared.git}`), token, host }
    const { committed, ...git } = createWorkerGit({ control, state: folder, environment: env, closing: left.signal })
    const author = async () => shared.commits.author
    const userRepository = hubOnly<UserRepository>({ ...committed, author })
    const ended = Promise.withResolvers<never>()
    ended.promise.catch(() => {})
    const drained = Promise.withResolvers<void>()
    const scope = createScope('all', { only: true })
    const watch = watchHub({
      clock,
      door,
      onNote,
      onEnd: ended.reject,
      // Looks for steps again.
      onBack: () => void engine.transact(async () => {}).catch(ended.reject),
    })
    closing.defer(() => watch.end())
    const engine = createSharedEngine({
      store,
      clock,
      host,
      keepsState: false,
      onFailure: ended.reject,
      onDrain: drained.resolve,
      takes: (step) => watch.isReached() && scope.takes(step),
    })
    const blobs = createBlobs(blobSettings(user, env), { state: folder, clock })
    const workflow = createWorkflow({
      engine,
      store,
      scope,
      prices,
      blobs,
      model: machine.model,
      mcpServers: machine.mcpServers,
      live: openLiveWork(machine),
      share: { as: 'worker', takesStories: true, retries: true, untilReached: watch.untilReached },
      ...workParts({
        ...git,
        store,
        engine,
        blobs,
        sandbox,
        clock,
        redact,
        slots,
        state: folder,
        artifacts: createArtifacts(join(folder, 'artifacts'), redact),
        reports: createTestReports(),
      }),
      guides: createGuides({ ...git, userRepository, globMatcher }),
      userRepository,
      slotCaps: shared.slots,
      trailers: shared.commits.trailers,
      foreign: machine.foreignIn(folder),
      notifying: { on: shared.notifying.on, notifiers: shared.notifying.notifiers.map(notifierOfHub) },
      timetable: createTimetable(),
      telemetry: withoutTelemetry,
      publisher: hubOnly<Publisher>(),
      receipts: hubOnly<Receipts>(),
      beside: notHere,
      readConfig: notHere,
      scheduled: notHere,
      land: notHere,
    })
    await workflow.start()
    return {
      repository: shared.repository,
      host,
      slots,
      ended: ended.promise,
      drained: drained.promise,
      async stop(stopping) {
        wait.end()
        await workflow.stop(stopping).finally(() => closing.disposeAsync())
      },
    }
  } catch (error) {
    await closing.disposeAsync()
    throw error
  }
}

/** A worker that returns to a full disk would hold its stories without doing their steps. */
async function checkSpace(folder: string): Promise<void> {
  const space = freeSpaceIn(await statfs(folder))
  if (hasRoom(space)) return
  throw new DrydockError('disk_full', `The disk of ${folder} is full.`, {
    todo: `Free at least ${limits.spaceToWork.bytes / 1_048_576} MiB and ${limits.spaceToWork.files} files there and start the worker again. Its stories go on at other workers.`,
  })
}

/** The folder's id; a folder that was removed and recreated gets another one. */
async function idIn(folder: string): Promise<string> {
  const found = await workerIdIn(folder)
  if (found !== null) return found
  const id = randomUUID()
  await writeFile(join(folder, idFile), `${JSON.stringify({ id })}\n`, { mode: 0o600, flush: true })
  return id
}

const withoutTelemetry: Telemetry = {
  to: null,
  content: false,
  delayMs: 0,
  collector: hubOnly<Telemetry['collector']>(),
  cursor: hubOnly<Telemetry['cursor']>(),
  texts: () => [],
}

function notifierOfHub(name: Notifier['name']): Notifier {
  return { name, deliver: notHere, check: notHere }
}

function notHere(): Promise<never> {
  return Promise.reject(new Error("a worker does not do what is its hub's"))
}

/** A port that only the hub implements fully: a worker's steps use only the methods in `here`. */
function hubOnly<Port extends object>(here: Partial<Port> = {}): Port {
  return new Proxy(here as Port, { get: (port, name) => port[name as keyof Port] ?? notHere })
}

function alreadyThere(name: string): DrydockError {
  return new DrydockError('bad_usage', `A worker named ${name} works on this machine already.`, {
    todo: 'Give this one another name: drydock worker --name <name>',
  })
}
