import type { Drydock } from '../app/drydock.ts'
import type { Opening } from '../app/opening.ts'
import type { EnvironmentVariables } from '../config/environment.ts'
import { createScope, type Scope } from '../domain/scope.ts'
import { slotNames } from '../domain/slot/slot-name.ts'
import { createDependencyLayers } from '../gate/layers/dependency-layers.ts'
import type { Clock } from '../ports/clock.ts'
import type { Engine, Step } from '../ports/engine.ts'
<<<<<<< HEAD
import type { JobStore, SharedJobStore } from '../ports/jobs.ts'
=======
>>>>>>> wt/s
import type { Listening, Owner, OwnerSocket, OwnOptions } from '../ports/owner.ts'
import type { Prices } from '../ports/prices.ts'
import type { ReceiptReader } from '../ports/receipts.ts'
import type { Store } from '../ports/store.ts'
import type { TestReports } from '../ports/test-reports.ts'
import { slotsAtRest } from '../workflow/rest/slots-at-rest.ts'
import { type Collected, collectGarbage } from '../workflow/run/collect-garbage.ts'
import { alone, type Share } from '../workflow/share.ts'
import { createWorkflow } from '../workflow/workflow.ts'
import { workParts } from './work-parts.ts'

<<<<<<< HEAD
/** Adapters that only the owner of a state needs. */
interface OwnerParts {
  /** Of the owner, which this process holds. */
  readonly lock: { release(): void }
  readonly database: {
    open(opening: { readonly owner: true } & Pick<Opening, 'beforeCommit'>): Promise<JobStore>
    share(opening: Pick<Opening, 'beforeCommit'>): Promise<SharedJobStore | null>
  }
  readonly listen: (on: Listening) => Promise<OwnerSocket>
=======
interface Opened {
  readonly store: Store
>>>>>>> wt/s
  readonly createEngine: (options: {
    readonly clock: Clock
    readonly onFailure: (error: unknown) => void
    readonly takes: (step: Step) => boolean
  }) => Engine
<<<<<<< HEAD
  /** The engine of the hub of a shared state. */
  readonly createHubEngine: (options: {
    readonly store: SharedJobStore
    readonly clock: Clock
    readonly onFailure: (error: unknown) => void
    readonly takes: (step: Step) => boolean
  }) => Promise<Engine>
=======
}

/** Adapters that only the owner of a state needs. */
interface OwnerParts {
  /** Of the owner, which this process holds. */
  readonly lock: { release(): void }
  /** Opens the rows, and what makes an engine on them. */
  readonly open: (opening: Pick<Opening, 'beforeCommit'>) => Promise<Opened>
  readonly listen: (on: Listening) => Promise<OwnerSocket>
>>>>>>> wt/s
  readonly prices: Prices
  readonly reports: TestReports
  readonly openReceipts: (env: EnvironmentVariables) => Promise<ReceiptReader>
}

interface Collecting extends Pick<OwnerParts, 'lock' | 'open'> {
  readonly signal: AbortSignal
}

/** Removes what is no longer kept, as the owner of the state, but without taking its work up. */
export async function collectState(drydock: Drydock, { lock, open, signal }: Collecting): Promise<Collected> {
  const { clock, sandbox, history, workTrees, blobs, foreign } = drydock
  await using closing = new AsyncDisposableStack()
  closing.defer(() => lock.release())
  const { store } = await open({})
  closing.defer(() => store.close())
  const artifacts = drydock.openArtifacts()
  const layers = createDependencyLayers({ history, workTrees, artifacts, sandbox })
  await artifacts.removeUnfinished()
  const { homes } = foreign
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

interface Owning extends Opening, OwnOptions, OwnerParts {}

<<<<<<< HEAD
/** Takes the work of the state up; of a shared one as its hub. */
export async function ownState(drydock: Drydock, owning: Owning): Promise<Owner> {
  const { lock, listen, prices, reports, openReceipts, coders, onFailure } = owning
  const { asked = 'all', only = false, afterCommit } = owning
  const closing = new AsyncDisposableStack()
  closing.defer(() => lock.release())
  try {
    const scope = createScope(asked, { only })
    const { store, engine, share } = await openEngine(drydock, owning, scope)
    closing.defer(() => store.close())
=======
/** Takes the work of the state up. */
export async function ownState(
  drydock: Drydock,
  {
    lock,
    open,
    listen,
    prices,
    reports,
    openReceipts,
    coders,
    onFailure,
    asked = 'all',
    only = false,
    beforeCommit,
    afterCommit,
  }: Owning,
): Promise<Owner> {
  const { state, clock, sandbox, history, workTrees, userRepository, publisher, redact } = drydock
  const closing = new AsyncDisposableStack()
  closing.defer(() => lock.release())
  try {
    const { store, createEngine } = await open(beforeCommit ? { beforeCommit } : {})
    closing.defer(() => store.close())
    const scope = createScope(asked, { only })
    const engine = createEngine({ clock, onFailure, takes: scope.takes })
    const sandboxes = createSandboxes(sandbox, workTrees)
    const artifacts = drydock.openArtifacts()
    const layers = createDependencyLayers({ history, workTrees, artifacts, sandbox })
    const parts = createTreeParts({ workTrees, layers })
>>>>>>> wt/s
    const { model, readConfig, beside, guides, notifiers, user, receipts, timetable, telemetry } = drydock
    const slots = slotNames(coders, await slotsAtRest(store, { scope, host: engine.host }))
    const workflow = createWorkflow({
      ...{ engine, store, share, scope, model, readConfig, beside, guides, timetable, telemetry, receipts },
      ...workParts({ ...drydock, slots, artifacts: drydock.openArtifacts(), reports }),
      scheduled: async (due) => (await import('../app/commands/scheduled-start.ts')).scheduledStart(drydock, due),
      land: async (landing) =>
        (await import('../app/commands/land/next-step.ts')).nextStep(drydock, await openReceipts(drydock.env), landing),
      ...{ userRepository: drydock.userRepository, publisher: drydock.publisher, prices },
      ...{ trailers: user.commit.trailers, notifying: { notifiers, on: user.notify.on } },
      ...{ foreign: drydock.foreign, mcpServers: drydock.mcpServers, blobs: drydock.blobs },
    })
    const wake = () => void workflow.applyCommands().then(() => socket.keepFacts(), onFailure)
    const socket = await listen({
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
      stop: (stopping) => workflow.stop(stopping).finally(() => closing.disposeAsync()),
    }
  } catch (error) {
    await closing.disposeAsync()
    throw error
  }
}

interface Opened {
  readonly store: JobStore
  readonly engine: Engine
  readonly share: Share
}

/** A state that is shared has an engine of several workers, one of which is this hub. */
async function openEngine(
  { clock }: Pick<Drydock, 'clock'>,
  { database, createEngine, createHubEngine, coders, shared = false, onFailure, beforeCommit }: Owning,
  { takes }: Scope,
): Promise<Opened> {
  const opening = { ...(beforeCommit && { beforeCommit }) }
  const together = shared ? await database.share(opening) : null
  if (together === null) {
    const store = await database.open({ owner: true, ...opening })
    return { store, engine: createEngine({ store, clock, onFailure, takes }), share: alone }
  }
  const engine = await createHubEngine({ store: together, clock, onFailure, takes })
  return { store: together, engine, share: { as: 'hub', takesStories: coders > 0 } }
}
