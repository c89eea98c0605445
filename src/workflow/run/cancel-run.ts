import { isUnresolved } from '../../domain/run/retention.ts'
import { isEnded, isHeld, type Run } from '../../domain/run/run.ts'
import { endStates } from '../../domain/story/story-machine.ts'
import type { Transaction } from '../../ports/store.ts'
import type { WorkflowDependencies } from '../dependencies.ts'
import { load, storiesOf } from '../machines.ts'
import { followEnd } from '../remark/follow-up.ts'
import { moveStory } from '../story/move-story.ts'
import { endWork } from './end-work.ts'
import { moveRun } from './move-run.ts'
import { appendResult } from './run-result.ts'

type Deps = Pick<WorkflowDependencies, 'clock' | 'scope' | 'slotCaps'>

/**
 * Ends a Run: aborts its steps and moves its machines, so that none of them can commit any more.
 * Its work is kept.
 */
export async function cancelRun(tx: Transaction, deps: Deps, id: string): Promise<void> {
  const run = await load(tx, 'run', id)
  if (isEnded(run.state)) return giveUp(tx, deps, run)
  await tx.drop(id)
  if (isHeld(run)) await release(tx, run)
  await endWork(tx, deps.clock, { run: id, story: null })
  if (run.data.policy.slot === 'story') return cancelCrew(tx, deps, id)
  const story = (await storiesOf(tx, id))[0]
  // The move is null if the story had ended already: then the Run proceeds to its end.
  const moved = story && (await moveStory(tx, deps.clock, story, { event: 'cancelled' }))
  const current = await load(tx, 'run', id)
  if (current.state === 'MONITORING' || current.state === 'PAUSED') {
    if (moved) return
    await tx.queue(await tx.edit(current, { answer: null }))
    return
  }
  if (current.data.unkept) {
    // The Run's end first saves the contents of the slot.
    await moveRun(tx, current, { event: 'ending', data: { error: null, unkept: false, rest: null }, next: 'queue' })
    return
  }
  await endAsCancelled(tx, deps, current)
}

/** Releases a human's pause, since the Run still has to take its last step. */
async function release(tx: Transaction, run: Run): Promise<void> {
  if (run.state === 'PAUSED') await moveRun(tx, run, { event: 'unpaused', data: { rest: null }, next: 'rest' })
  else await tx.edit(run, { rest: null })
}

/** The crew's next step saves the contents of the workspaces. */
async function cancelCrew(tx: Transaction, { clock }: Deps, id: string): Promise<void> {
  for (const story of await storiesOf(tx, id)) {
    if (!endStates.includes(story.state)) await moveStory(tx, clock, story, { event: 'cancelled' })
    else if (story.data.escalation !== null) await tx.edit(story, { escalation: null })
  }
  const stopping = await load(tx, 'run', id)
  // The Run has not ended yet, so followers must not take its ERROR for the end.
  const run = stopping.state === 'ERROR' ? await moveRun(tx, stopping, { event: 'resumed', next: 'rest' }) : stopping
  await tx.queue(await tx.edit(run, { stopped: true, escalation: null, error: null, rest: null }))
}

/** Drops the artifacts of an ended Run, since nobody will act on its stuck report. */
async function giveUp(tx: Transaction, deps: Deps, run: Run): Promise<void> {
  const story = isUnresolved(run) ? (await storiesOf(tx, run.id))[0] : undefined
  if (story && (await moveStory(tx, deps.clock, story, { event: 'cancelled' }))) await endAsCancelled(tx, deps, run)
}

async function endAsCancelled(tx: Transaction, deps: Deps, run: Run): Promise<void> {
  const ended = await moveRun(tx, run, { event: 'cancelled', data: { slot: null, error: null }, next: 'rest' })
  await appendResult(tx, ended)
  await followEnd(tx, deps, ended, null)
}
