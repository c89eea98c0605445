import type { Machine } from '../../domain/machine.ts'
import type { RunRest } from '../../domain/rest.ts'
import { type PauseCause, pauseCause } from '../../domain/run/pause-cause.ts'
import { isEnded, isHeld, isPausable, type Run } from '../../domain/run/run.ts'
import type { Commit, Step } from '../../ports/engine.ts'
import type { Transaction } from '../../ports/store.ts'
import type { WorkflowDependencies } from '../dependencies.ts'
import type { DecisionDependencies } from '../lane/dependencies.ts'
import { load, storiesOf } from '../machines.ts'
import { requeueMerges, startNextMerge } from '../merge/merge-queue.ts'
import { moveRun } from '../run/move-run.ts'
import { appendResult } from '../run/run-result.ts'
import type { StepDependencies } from '../step-dependencies.ts'
import { moveStory } from '../story/move-story.ts'

/**
 * Pauses a Run for a human, or for a signal to the process that follows it: none of its steps is
 * started from now on. Running steps end and are committed, and after the last of them the Run is
 * PAUSED from any state (`settleHeld`). A Run that only has to end still ends.
 */
export async function holdRun(
  tx: Transaction,
  deps: DecisionDependencies,
  { run: id, ...given }: { readonly run: string; readonly by?: string } & PauseCause,
): Promise<void> {
  const run = await load(tx, 'run', id)
  if (!isPausable(run)) return
  const since = deps.clock.now().toISOString()
  const under = run.data.rest
  const cause = pauseCause(given)
  await tx.edit(run, { rest: { because: 'user', since, machines: [], ...cause, ...(under && { under }) } })
  await tx.appendEvent({
    run: id,
    story: null,
    type: 'paused',
    data: { reason: 'user', ...cause },
  })
  await settleHeld(tx, deps, id)
}

/** Keeps a step of a held Run for later instead of taking it; false if the step has to be taken. */
export async function holdStep(
  { store, ahead }: Pick<WorkflowDependencies, 'store' | 'ahead'>,
  { machine: id }: Pick<Step, 'machine'>,
  commit: Commit,
): Promise<boolean> {
  const machine = await store.machine(id)
  if (machine === null || !isKept(await load(store, 'run', machine.run), machine)) return false
  const isCommitted = await commit(async (tx) => {
    await ahead.withdraw(tx, id)
    const run = await load(tx, 'run', machine.run)
    if (!isKept(run, machine)) return tx.queue(machine)
    await keep(tx, run, [id])
  })
  if (isCommitted) ahead.take(id)
  return true
}

/**
 * Once no step of a held Run is running, the Run and its working stories become PAUSED, and an
 * event reports it.
 */
export async function settleHeld(tx: Transaction, deps: DecisionDependencies, id: string): Promise<void> {
  const loaded = await load(tx, 'run', id)
  if (!isHolding(loaded)) return
  const run = await keepSteps(tx, loaded)
  if (run.state === 'PAUSED' || !(await tx.isIdle(id))) return
  for (const story of await storiesOf(tx, id)) await moveStory(tx, deps.clock, story, { event: 'paused' })
  const requeued = await requeueMerges(tx, id)
  const rest = run.data.rest && without(run.data.rest, requeued)
  const log = { by: 'user', ...pauseCause(run.data.rest ?? {}) }
  await appendResult(tx, await moveRun(tx, run, { event: 'paused', data: { rest }, log, next: 'rest' }))
  // The Run may have been merging, and merges of other Runs wait.
  await startNextMerge(tx, deps)
}

/**
 * Pauses a held Run after a step, or after a job that was kept for later or was outdated. Without a
 * human's pause this does nothing.
 */
export async function settleAfter(deps: DecisionDependencies & StepDependencies, id: string): Promise<void> {
  const machine = await deps.store.machine(id)
  if (machine === null || !isHolding(await load(deps.store, 'run', machine.run))) return
  await deps.engine.transact((tx) => settleHeld(tx, deps, machine.run))
}

/**
 * When a process starts, pauses the held Runs that another process left, before taking any step and
 * whatever Runs this process works on.
 */
export async function settleAllHeld(deps: DecisionDependencies & StepDependencies): Promise<void> {
  for (const run of await deps.store.machines({ kind: 'run' })) {
    if (!isHolding(run) || run.state === 'PAUSED') continue
    await deps.engine.transact((tx) => settleHeld(tx, deps, run.id))
  }
}

function isHolding(run: Run): boolean {
  return isHeld(run) && run.state !== 'ERROR' && !isEnded(run.state)
}

/** The Run's own steps only start or end it, so they are not kept. */
function isKept(run: Run, { kind }: Machine): boolean {
  return isHolding(run) && (kind !== 'run' || run.state === 'WAITING')
}

/** Takes back the steps of a held Run that nobody has started, and remembers their machines. */
async function keepSteps(tx: Transaction, run: Run): Promise<Run> {
  const taken = await tx.hold(run.id, isKept(run, run) ? [] : [run.id])
  return taken.length === 0 ? run : keep(tx, run, taken)
}

async function keep(tx: Transaction, run: Run, machines: readonly string[]): Promise<Run> {
  const { rest } = run.data
  return rest === null ? run : tx.edit(run, { rest: { ...rest, machines: union(rest.machines, machines) } })
}

function without(rest: RunRest, gone: ReadonlySet<string>): RunRest {
  return { ...rest, machines: rest.machines.filter((machine) => !gone.has(machine)) }
}

function union(one: readonly string[], other: readonly string[]): readonly string[] {
  return [...new Set([...one, ...other])]
}
