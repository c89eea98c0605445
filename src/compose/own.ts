import { join } from 'node:path'
import { createEmbeddedEngine } from '../adapters/engine/embedded-engine.ts'
import { takeOwnerLock } from '../adapters/engine/owner-lock.ts'
import * as ownerSocket from '../adapters/engine/owner-socket.ts'
import type { Database } from '../adapters/store/database.ts'
import { makeStateFolder } from '../adapters/store/state-folder.ts'
import { createTestReports } from '../adapters/test-reports/create.ts'
import type { Drydock } from '../app/drydock.ts'
import type { Opening } from '../app/opening.ts'
import type { EnvironmentVariables } from '../config/environment.ts'
import { createScope, type Scope } from '../domain/scope.ts'
import { slotNames } from '../domain/slot/slot-name.ts'
import { createDependencyLayers } from '../gate/layers/dependency-layers.ts'
import { createTreeParts } from '../gate/layers/tree-parts.ts'
import { redactedReports } from '../gate/redacted-reports.ts'
import { createTestsOfTrees } from '../gate/tests-of-tree.ts'
import type { Engine } from '../ports/engine.ts'
import type { Owner, OwnOptions } from '../ports/owner.ts'
import type { Prices } from '../ports/prices.ts'
import type { ReceiptReader } from '../ports/receipts.ts'
import type { Store } from '../ports/store.ts'
import type { WorkflowDependencies } from '../workflow/dependencies.ts'
import { createArchitectSandbox } from '../workflow/lane/architect-sandbox.ts'
import { createSandboxes } from '../workflow/lane/sandboxes.ts'
import { slotsAtRest } from '../workflow/rest/slots-at-rest.ts'
import { alone, type Share } from '../workflow/share.ts'
import { createWorkflow } from '../workflow/workflow.ts'

interface Owning extends Opening, OwnOptions {
  readonly database: Database
  readonly prices: Prices
  readonly openReceipts: (env: EnvironmentVariables) => Promise<ReceiptReader>
}

/** Becomes the owner of a state, and of a shared one its hub; null while another process is. */
export async function own(drydock: Drydock, owning: Owning): Promise<Owner | null> {
  const { openReceipts, prices, coders, onFailure, asked = 'all', only = false, afterCommit } = owning
  const { state } = drydock
  await makeStateFolder(state)
  const lock = takeOwnerLock(join(state, 'owner.lock'))
  if (lock === null) return null
  const closing = new AsyncDisposableStack()
  closing.defer(() => lock.release())
  try {
    const scope = createScope(asked, { only })
    const { store, engine, share } = await openEngine(drydock, owning, scope)
    closing.defer(() => store.close())
    const { model, readConfig, beside, guides, notifiers, user, receipts, timetable, telemetry } = drydock
    const slots = slotNames(coders, await slotsAtRest(store, { scope, host: engine.host }))
    const workflow = createWorkflow({
      ...{ engine, store, share, scope, model, readConfig, beside, guides, timetable, telemetry, receipts },
      ...workParts({ ...drydock, slots, artifacts: drydock.openArtifacts() }),
      scheduled: async (due) => (await import('../app/commands/scheduled-start.ts')).scheduledStart(drydock, due),
      land: async (landing) =>
        (await import('../app/commands/land/next-step.ts')).nextStep(drydock, await openReceipts(drydock.env), landing),
      ...{ userRepository: drydock.userRepository, publisher: drydock.publisher, prices },
      ...{ slotCaps: user.slots, trailers: user.commit.trailers, notifying: { notifiers, on: user.notify.on } },
      ...{ foreign: drydock.foreign, mcpServers: drydock.mcpServers, blobs: drydock.blobs },
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
      stop: (stopping) => workflow.stop(stopping).finally(() => closing.disposeAsync()),
    }
  } catch (error) {
    await closing.disposeAsync()
    throw error
  }
}

interface Opened {
  readonly store: Store & { close(): Promise<void> }
  readonly engine: Engine
  readonly share: Share
}

/** A state that is shared has an engine of several workers, one of which is this hub. */
async function openEngine(
  { clock }: Pick<Drydock, 'clock'>,
  { database, coders, shared = false, onFailure, beforeCommit }: Owning,
  { takes }: Scope,
): Promise<Opened> {
  const opening = { ...(beforeCommit && { beforeCommit }) }
  const together = shared ? await database.share(opening) : null
  if (together === null) {
    const store = await database.open({ owner: true, ...opening })
    return { store, engine: createEmbeddedEngine({ store, clock, onFailure, takes }), share: alone }
  }
  // Loaded only here: a machine alone needs nothing of it.
  const { createSharedEngine } = await import('../adapters/engine/shared-engine.ts')
  const share = { as: 'hub', takesStories: coders > 0 } as const
  const engine = createSharedEngine({ store: together, clock, onFailure, takes, host: hubHost, keepsState: true })
  return { store: together, engine, share }
}

/** The host of a state's own machine, as of its only process. */
const hubHost = 'local'

type Given = Pick<
  WorkflowDependencies,
  'sandbox' | 'history' | 'workTrees' | 'artifacts' | 'clock' | 'redact' | 'slots'
>

/** What works in the workspaces and checkouts of a host. */
export function workParts({
  sandbox,
  history,
  workTrees,
  artifacts,
  clock,
  redact,
  slots,
  state,
}: Given & { state: string }) {
  const layers = createDependencyLayers({ history, workTrees, artifacts, sandbox })
  return {
    ...{ sandbox, history, workTrees, artifacts, clock, redact, slots, layers },
    sandboxes: createSandboxes(sandbox, workTrees),
    parts: createTreeParts({ workTrees, layers }),
    architect: createArchitectSandbox({ sandbox, workTrees, slots, mirror: join(state, 'mirror.git') }),
    testsOfTrees: createTestsOfTrees(),
    reports: redactedReports(createTestReports(), redact),
  }
}
