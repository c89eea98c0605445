import { isEnded } from '../domain/run.ts'
import type { Transaction } from '../ports/store.ts'
import { endLane } from './answer-lane.ts'
import type { WorkflowDependencies } from './dependencies.ts'
import { list, load, storyOf } from './machines.ts'
import { moveStory } from './move-story.ts'
import { appendResult } from './run-result.ts'

/** Ends a Run: its steps are aborted, its machines moved on, so that nothing of them can still be committed. Its work is kept. */
export async function cancelRun(deps: WorkflowDependencies, tx: Transaction, id: string): Promise<void> {
  const run = await load(tx, 'run', id)
  if (isEnded(run.state)) return
  await tx.endJobsOf(id)
  for (const lane of await list(tx, 'lane', { run: id })) await endLane(tx, deps.clock, lane.id)
  for (const query of await list(tx, 'scout_query', { run: id, states: ['ASKED', 'RUNNING'] })) {
    await tx.updateMachine(query, { state: 'CANCELLED', data: query.data })
  }
  for (const verification of await list(tx, 'verification', { run: id, states: ['REQUESTED'] })) {
    await tx.updateMachine(verification, { state: 'CANCELLED', data: verification.data })
  }
  const story = await storyOf(tx, id)
  if (story) await moveStory(tx, deps.clock, story, { event: 'cancelled' })
  const current = await load(tx, 'run', id)
  if (current.state === 'MONITORING') {
    if (story) return
    await tx.enqueue(await tx.updateMachine(current, { state: 'MONITORING', data: { ...current.data, answer: null } }))
    return
  }
  const ended = await tx.updateMachine(current, {
    state: 'CANCELLED',
    data: { ...current.data, slot: null, error: null },
  })
  await tx.appendEvent({ run: id, story: null, type: 'run_state', data: { from: run.state, to: 'CANCELLED' } })
  await appendResult(tx, ended)
}
