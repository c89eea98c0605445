import { isEnded } from '../domain/run.ts'
import type { Transaction } from '../ports/store.ts'
import type { WorkflowDependencies } from './dependencies.ts'
import { endWork } from './end-work.ts'
import { load, storyOf } from './machines.ts'
import { moveStory } from './move-story.ts'
import { appendResult } from './run-result.ts'

/** Ends a Run: its steps are aborted, its machines moved on, so that nothing of them can still be committed. Its work is kept. */
export async function cancelRun(deps: WorkflowDependencies, tx: Transaction, id: string): Promise<void> {
  const run = await load(tx, 'run', id)
  if (isEnded(run.state)) return
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
  const ended = await tx.updateMachine(current, {
    state: 'CANCELLED',
    data: { ...current.data, slot: null, error: null },
  })
  await tx.appendEvent({ run: id, story: null, type: 'run_state', data: { from: run.state, to: 'CANCELLED' } })
  await appendResult(tx, ended)
}
