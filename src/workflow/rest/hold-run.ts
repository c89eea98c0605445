import type { Machine } from '../../domain/machine.ts'
import type { RunRest } from '../../domain/rest.ts'
import type { PauseCause } from '../../domain/run/pause-cause.ts'
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
 * Pauses a Run for a human, or for a signal to the process that follows it: from now on no step of
 * it is begun. Those under way end and are committed, and with the last of them the Run is PAUSED
 * (`settleHeld`), whatever it was in; only one that has nothing left but to end does that.
 */
export async function holdRun(
  tx: Transaction,
  deps: DecisionDependencies,
  { run: id, signal }: { readonly run: string } & PauseCause,
): Promise<void> {
  const run = await load(tx, 'run', id)
  if (!isPausable(run)) return
  const since = deps.clock.now().toISOString()
  const under = run.data.rest
  const cause = signal === undefined ? {} : { signal }
  await tx.edit(run, { rest: { because: 'user', since, machines: [], ...cause, ...(under && { under }) } })
  await tx.appendEvent({
    run: id,
    story: null,
    type: 'paused',
    data: { reason: 'user', ...cause },
  })
  await settleHeld(tx, deps, id)
}

/** Keeps a step of a held Run for later instead of taking it; false when it is to be taken. */
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
 * A held Run of which nothing is under way any more is PAUSED with all its stories that work, and
 * whoever follows it hears so.
 */
export async function settleHeld(tx: Transaction, deps: DecisionDependencies, id: string): Promise<void> {
  const loaded = await load(tx, 'run', id)
  if (!isHolding(loaded)) return
  const run = await keepSteps(tx, loaded)
  if (run.state === 'PAUSED' || !(await tx.isIdle(id))) return
  for (const story of await storiesOf(tx, id)) await moveStory(tx, deps.clock, story, { event: 'paused' })
  const requeued = await requeueMerges(tx, id)
  const rest = run.data.rest && without(run.data.rest, requeued)
  await appendResult(tx, await moveRun(tx, run, { event: 'paused', data: { rest }, log: { by: 'user' }, next: 'rest' }))
  // It may have been merging, and those of other Runs wait.
  await startNextMerge(tx, deps)
}

/**
 * After a step, or a job that was kept for later or was outdated: nothing to do unless a human has
 * paused its Run.
 */
export async function settleAfter(deps: DecisionDependencies & StepDependencies, id: string): Promise<void> {
  const machine = await deps.store.machine(id)
  if (machine === null || !isHolding(await load(deps.store, 'run', machine.run))) return
  await deps.engine.transact((tx) => settleHeld(tx, deps, machine.run))
}

/**
 * At the start of a process, before any step is taken: what another has left of a held Run comes to
 * rest, whoever this one works for.
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

/** The Run's own steps start it, or end it: nothing of that is work. */
function isKept(run: Run, { kind }: Machine): boolean {
  return isHolding(run) && (kind !== 'run' || run.state === 'WAITING')
}

/** Takes steps of a held Run back that nobody has begun, and remembers whose they were. */
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
