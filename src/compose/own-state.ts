import type { Installation } from '../app/installation.ts'
import type { Opening } from '../app/opening.ts'
import { createServerWait } from '../app/wait/server-wait.ts'
import { createScope } from '../domain/scope.ts'
import { slotNames } from '../domain/slot/slot-name.ts'
import { createDependencyLayers } from '../gate/layers/dependency-layers.ts'
import type { Clock } from '../ports/clock.ts'
import type { Engine, Step } from '../ports/engine.ts'
import type { Listening, Owner, OwnerSocket, OwnOptions, ServerWait } from '../ports/owner.ts'
import type { Prices } from '../ports/prices.ts'
import type { Store } from '../ports/store.ts'
import type { TestReports } from '../ports/test-reports.ts'
import type { WorkflowDependencies } from '../workflow/dependencies.ts'
import { slotsAtRest } from '../workflow/rest/slots-at-rest.ts'
import { collectGarbage, type GarbageCount } from '../workflow/run/collect-garbage.ts'
import { alone, type Share } from '../workflow/share.ts'
import { createWorkflow } from '../workflow/workflow.ts'
import { openLiveWork } from './open-live-work.ts'
import { workParts } from './work-parts.ts'

interface OpenStore {
  readonly store: Store
  /** True if workers on other machines share the state. */
  readonly isShared: boolean
  readonly createEngine: (options: {
    readonly clock: Clock
    readonly onFailure: (error: unknown) => void
    readonly takes: (step: Step) => boolean
  }) => Engine
}

/** The parts of an opened repository that the work needs. */
type StateParts = Pick<
  Installation,
  | 'state'
  | 'user'
  | 'clock'
  | 'redact'
  | 'redactSpeech'
  | 'notifiers'
  | 'telemetry'
  | 'timetable'
  | 'history'
  | 'workTrees'
  | 'userRepository'
  | 'publisher'
  | 'receipts'
  | 'openArtifacts'
  | 'blobs'
  | 'sandbox'
  | 'model'
  | 'foreign'
  | 'mcpServers'
  | 'readConfig'
  | 'beside'
  | 'guides'
>

export interface StateOpening extends Pick<Opening, 'beforeCommit'> {
  readonly shared?: boolean
  readonly wait?: ServerWait
}

/** Adapters that only the owner of a state needs, and the commands that it runs itself. */
interface OwnerParts extends Pick<WorkflowDependencies, 'scheduled' | 'land'> {
  /** The owner's lock, which this process holds. */
  readonly lock: { release(): void }
  /**
   * Opens the rows, and the constructor of an engine for them; `shared` if workers may use them.
   */
  readonly open: (opening: StateOpening) => Promise<OpenStore>
  readonly listen: (on: Listening) => Promise<OwnerSocket>
  readonly prices: Prices
  readonly reports: TestReports
  /**
   * The number of a verification's trees that run at the same time; derived from the cores by
   * default.
   */
  readonly atOnce?: number
}

interface Collecting extends Pick<OwnerParts, 'lock' | 'open'> {
  readonly signal: AbortSignal
}

/** Removes data that need not be kept, as the owner of the state, but without starting its work. */
export async function collectState(
  drydock: Pick<StateParts, 'clock' | 'sandbox' | 'history' | 'workTrees' | 'blobs' | 'foreign' | 'openArtifacts'>,
  { lock, open, signal }: Collecting,
): Promise<GarbageCount> {
  const { clock, sandbox, history, workTrees, blobs, foreign } = drydock
  await using closing = new AsyncDisposableStack()
  closing.defer(() => lock.release())
  const { store } = await open({})
  closing.defer(() => store.close())
  const artifacts = drydock.openArtifacts()
  const layers = createDependencyLayers({ history, workTrees, artifacts, sandbox, shared: null })
  await artifacts.removeUnfinished()
  const { homes } = foreign
  const { transact } = store
  const deps = { share: alone, artifacts, store, clock, layers, history, workTrees, homes, blobs, transact }
  const collected = await collectGarbage(deps, clock.now(), signal)
  await history.tidy(signal)
  return collected
}

export interface Owning extends Pick<Opening, 'beforeCommit' | 'afterCommit'>, OwnOptions, OwnerParts {}

/** Starts the state's work; for a shared state as its hub. */
export async function ownState(owned: StateParts, owning: Owning): Promise<Owner> {
  const { lock, open, listen, prices, reports, scheduled, land, coders, onFailure, atOnce } = owning
  const {
    asked = 'all',
    only = false,
    shared = false,
    stays = false,
    url,
    onNote = () => {},
    beforeCommit,
    afterCommit,
  } = owning
  const wait = createServerWait({ onNote })
  const closing = new AsyncDisposableStack()
  closing.defer(() => lock.release())
  try {
    const { store, isShared, createEngine } = await open({ shared, wait, ...(beforeCommit && { beforeCommit }) })
    closing.defer(() => store.close())
    const scope = createScope(asked, { only })
    const engine = createEngine({ clock: owned.clock, onFailure, takes: scope.takes })
    const share: Share = { ...(isShared ? { as: 'hub', takesStories: coders > 0 } : alone), retries: stays }
    const { model, readConfig, beside, guides, notifiers, user, receipts, timetable, telemetry } = owned
    const { userRepository, publisher, foreign, mcpServers, blobs } = owned
    const live = openLiveWork(owned)
    const slots = slotNames(coders, await slotsAtRest(store, { scope, host: engine.host }))
    const workflow = createWorkflow({
      engine,
      store,
      share,
      live,
      scope,
      model,
      readConfig,
      beside,
      guides,
      timetable,
      telemetry,
      receipts,
      ...workParts({ ...owned, store, engine, slots, artifacts: owned.openArtifacts(), reports, atOnce }),
      userRepository,
      publisher,
      prices,
      scheduled,
      land,
      slotCaps: user.slots,
      trailers: user.commit.trailers,
      notifying: { notifiers, on: user.notify.on },
      foreign,
      mcpServers,
      blobs,
    })
    const wake = () => void workflow.applyCommands().then(() => socket.keepFacts(), onFailure)
    const socket = await listen({
      facts: () => ({ pid: process.pid, asked: scope.asked(), only, ...(url !== undefined && { url }) }),
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
      stop(stopping) {
        wait.end()
        return workflow.stop(stopping).finally(() => closing.disposeAsync())
      },
    }
  } catch (error) {
    await closing.disposeAsync()
    throw error
  }
}
