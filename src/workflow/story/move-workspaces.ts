import { DrydockError } from '../../domain/drydock-error.ts'
import type { Run } from '../../domain/run/run.ts'
import type { PendingMove, Story } from '../../domain/story/story.ts'
import type { StoryState } from '../../domain/story/story-machine.ts'
import type { HostGone } from '../../ports/engine.ts'
import type { Transaction } from '../../ports/store.ts'
import type { DecisionDependencies } from '../lane/dependencies.ts'
import { load } from '../machines.ts'
import { errorOf, parkRun } from '../rest/park-run.ts'
import { schedule } from '../run/schedule.ts'
import { moveStory } from './move-story.ts'

/**
 * Moves the work of a host whose slots were withdrawn to workspaces elsewhere, which are made from
 * the last saved work. People learn of lost work once it is known (`tellMoved`).
 */
export async function moveWorkspaces(tx: Transaction, deps: DecisionDependencies, gone: HostGone): Promise<void> {
  for (const id of gone.stories) await moveWorkspace(tx, deps, await load(tx, 'story', id), gone)
  for (const id of gone.runs) await moveRunOf(tx, deps, await load(tx, 'run', id), gone)
  await schedule(tx, deps)
}

async function moveWorkspace(tx: Transaction, deps: DecisionDependencies, story: Story, gone: HostGone): Promise<void> {
  const { id, run, state, data } = story
  // The story is set up once it has another slot.
  if (state === 'SETUP') await tx.drop(run, new Set([id]))
  const from = state === 'PAUSED' ? data.pausedIn : state
  // A story in any other state waits or has ended: its workspace was saved before.
  if (from !== 'PLANNING' && from !== 'CODING') return
  const pending = { ...restored(from), moved: { from: gone.host, lost: !gone.hasLeft } }
  if (state === 'PAUSED') await tx.edit(story, { pausedIn: 'SETUP', pending })
  else await moveStory(tx, deps.clock, story, { event: 'workspace_lost', data: { pending } })
}

/** A task returns from ERROR with a slot on another host: its workspace is created there. */
export async function setUpElsewhere(
  tx: Transaction,
  { clock }: Pick<DecisionDependencies, 'clock'>,
  { run, story }: { readonly run: Run; readonly story: Story },
): Promise<void> {
  const { state, data } = story
  if (state === 'SETUP') await tx.edit(story, {})
  else if (state === 'PLANNING' || state === 'CODING')
    await moveStory(tx, clock, story, { event: 'workspace_lost', data: { slot: data.slot, pending: restored(state) } })
  else {
    // The story asks for a slot when its editor continues.
    const from = data.pausedIn
    const isEditing = from === 'PLANNING' || from === 'CODING'
    await tx.edit(story, { slot: null, ...(isEditing && { pausedIn: 'SETUP', pending: restored(from) }) })
    await tx.edit(run, { slot: null })
  }
}

/** The story's continuation once it has a workspace again. */
function restored(from: StoryState): PendingMove {
  return { from, event: 'workspace_restored', answer: null, notes: null }
}

/** Moves the Run of a task, a verification or a scout's question, which holds the slot itself. */
async function moveRunOf(tx: Transaction, deps: DecisionDependencies, run: Run, { host }: HostGone): Promise<void> {
  if (run.data.policy.slot === 'story') return
  if (run.data.unkept) await tx.edit(run, { unkept: false })
  // The Run starts once it has another slot.
  if (run.state === 'WAITING') await tx.drop(run.id, new Set([run.id]))
  if (run.state !== 'MONITORING' || run.data.request.kind !== 'scout') return
  const error = new DrydockError('host_gone', `The machine ${host}, on which the scout read, is gone.`, {
    todo: 'Ask again: drydock scout',
  })
  await parkRun(tx, deps, { run: run.id, machine: run.id, error: errorOf(error), kept: 'nothing' })
}
