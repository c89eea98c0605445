import { isUnresolved } from '../domain/retention.ts'
import { isEnded, type Run, type RunState } from '../domain/run.ts'
import type { Transaction } from '../ports/store.ts'
import type { WorkflowDependencies } from './dependencies.ts'
import { endWork } from './end-work.ts'
import { load, storyOf } from './machines.ts'
import { moveStory } from './move-story.ts'
import { appendResult } from './run-result.ts'

/** Ends a Run: its steps are aborted, its machines moved on, so that nothing of them can still be committed. Its work is kept. */
export async function cancelRun(deps: WorkflowDependencies, tx: Transaction, id: string): Promise<void> {
  const run = await load(tx, 'run', id)
  if (isEnded(run.state)) return giveUp(deps, tx, run)
  await tx.endJobsOf(id)
  await endWork(tx, deps.clock, id)
  const story = await storyOf(tx, id)
  // Null when it has ended already: then the Run goes on to its end.
  const moved = story && (await moveStory(tx, deps.clock, story, { event: 'cancelled' }))
  const current = await load(tx, 'run', id)
  if (current.state === 'MONITORING') {
    if (moved) return
    await tx.enqueue(await tx.updateMachine(current, { state: 'MONITORING', data: { ...current.data, answer: null } }))
    return
  }
  if (current.data.unkept) {
    // Its end keeps what is in the slot first.
    const data = { ...current.data, error: null, unkept: false }
    await tx.enqueue(await tx.updateMachine(current, { state: 'MONITORING', data }))
    return
  }
  await endAsCancelled(tx, current, run.state)
}

/** A Run that ended with a stuck report which nobody will act on: its artifacts need not stay. */
async function giveUp(deps: WorkflowDependencies, tx: Transaction, run: Run): Promise<void> {
  const story = isUnresolved(run) ? await storyOf(tx, run.id) : null
  if (story && !(await moveStory(tx, deps.clock, story, { event: 'cancelled' }))) return
  if (story) await endAsCancelled(tx, run, run.state)
}

async function endAsCancelled(tx: Transaction, run: Run, from: RunState): Promise<void> {
  const ended = await tx.updateMachine(run, { state: 'CANCELLED', data: { ...run.data, slot: null, error: null } })
  await tx.appendEvent({ run: run.id, story: null, type: 'run_state', data: { from, to: 'CANCELLED' } })
  await appendResult(tx, ended)
}
