import type { Machine } from '../../domain/machine.ts'
import { isFinal } from '../../domain/machines.ts'
import { isEnded, isPausable, type Run } from '../../domain/run/run.ts'
import type { Commit } from '../../ports/engine.ts'
import type { Job, Transaction } from '../../ports/store.ts'
import type { WorkflowDependencies } from '../dependencies.ts'
import { list, load, storiesOf } from '../machines.ts'
import { requeueMerges, startNextMerge } from '../merge/merge-queue.ts'
import { moveRun } from '../run/move-run.ts'
import { appendResult } from '../run/run-result.ts'
import { moveStory } from '../story/move-story.ts'

type Deps = Pick<WorkflowDependencies, 'clock' | 'model' | 'scope'>

/**
 * A human pauses a Run: from now on no step of it is begun. Those under way end and are committed,
 * and with the last of them the Run is PAUSED (`settleHeld`), whatever it was in; only one that has
 * nothing left but to end does that.
 */
export async function holdRun(
  tx: Transaction,
  deps: Deps,
  { run: id, interrupted = false }: { readonly run: string; readonly interrupted?: boolean },
): Promise<void> {
  const run = await load(tx, 'run', id)
  if (!isPausable(run)) return
  await tx.edit(run, { held: [] })
  await tx.appendEvent({
    run: id,
    story: null,
    type: 'paused',
    data: { reason: 'user', ...(interrupted && { interrupted }) },
  })
  await settleHeld(tx, deps, id)
}

/** Keeps a job of a held Run for later instead of taking its step; false when it is to be taken. */
export async function holdStep(
  { store }: Pick<WorkflowDependencies, 'store'>,
  { machine: id }: Pick<Job, 'machine'>,
  commit: Commit,
): Promise<boolean> {
  const machine = await store.machine(id)
  if (machine === null || !isHeld(await load(store, 'run', machine.run), machine)) return false
  await commit(async (tx) => {
    const run = await load(tx, 'run', machine.run)
    if (!isHeld(run, machine)) return tx.enqueue(machine)
    await tx.edit(run, { held: withMachine(run.data.held, id) })
  })
  return true
}

/**
 * A held Run of which nothing is under way any more is PAUSED with all its stories that work, and
 * whoever follows it hears so.
 */
export async function settleHeld(tx: Transaction, deps: Deps, id: string): Promise<void> {
  const run = await holdLater(tx, deps, await load(tx, 'run', id))
  if (!isHolding(run) || run.state === 'PAUSED' || (await tx.openJobs(id)) > 0) return
  for (const story of await storiesOf(tx, id)) await moveStory(tx, deps.clock, story, { event: 'paused' })
  const requeued = await requeueMerges(tx, id)
  const held = (run.data.held ?? []).filter((machine) => !requeued.has(machine))
  await appendResult(tx, await moveRun(tx, run, { event: 'paused', data: { held }, log: { by: 'user' }, next: 'rest' }))
  // It may have been merging, and those of other Runs wait.
  await startNextMerge(tx, deps)
}

/**
 * After a step, or a job that was kept for later or was outdated: nothing to do unless a human has
 * paused its Run.
 */
export async function settleAfter(deps: WorkflowDependencies, id: string): Promise<void> {
  const machine = await deps.store.machine(id)
  if (machine === null || !isHolding(await load(deps.store, 'run', machine.run))) return
  await deps.engine.transact((tx) => settleHeld(tx, deps, machine.run))
}

/**
 * At the start of a process, before any step is taken: what another has left of a held Run comes to
 * rest, whoever this one works for.
 */
export async function settleAllHeld(deps: WorkflowDependencies): Promise<void> {
  for (const run of await list(deps.store, 'run')) {
    if (!isHolding(run) || run.state === 'PAUSED') continue
    await deps.engine.transact(async (tx) => {
      await keepJobs(tx, await load(tx, 'run', run.id), () => true)
      await settleHeld(tx, deps, run.id)
    })
  }
}

/** Queues the steps that were kept; the Run itself has been released. */
export async function queueHeld(tx: Transaction, held: readonly string[]): Promise<void> {
  for (const id of held) {
    const machine = await tx.machine(id)
    // What a reply has ended meanwhile takes no step.
    if (machine !== null && !isFinal(machine)) await tx.enqueue(machine)
  }
}

function isHolding({ state, data }: Run): boolean {
  return data.held !== null && state !== 'ERROR' && !isEnded(state)
}

/** The Run's own steps start it, or end it: nothing of that is work. */
function isHeld(run: Run, { kind }: Machine): boolean {
  return isHolding(run) && (kind !== 'run' || run.state === 'WAITING')
}

/** A step that waits for its time is not under way, and its time may be far. */
async function holdLater(tx: Transaction, { clock }: Deps, run: Run): Promise<Run> {
  if (!isHolding(run)) return run
  const now = clock.now().toISOString()
  return keepJobs(tx, run, ({ runAt }) => runAt > now)
}

/** Takes jobs of a held Run away and remembers whose they were. */
async function keepJobs(tx: Transaction, run: Run, isMeant: (job: Job) => boolean): Promise<Run> {
  let held = run.data.held
  for (const job of (await tx.jobs()).filter((each) => each.run === run.id && isMeant(each))) {
    const machine = await tx.machine(job.machine)
    // People are told of it all the same.
    if (job.queue === 'notification' || machine === null || !isHeld(run, machine)) continue
    await tx.endJob(job.id)
    held = withMachine(held, job.machine)
  }
  return held === run.data.held ? run : tx.edit(run, { held })
}

function withMachine(held: readonly string[] | null, id: string): readonly string[] {
  return [...new Set([...(held ?? []), id])]
}
