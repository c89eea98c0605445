import type { Story } from '../../domain/story/story.ts'
import { endStates } from '../../domain/story/story-machine.ts'
import type { Transaction } from '../../ports/store.ts'
import type { DecisionDependencies } from '../lane/dependencies.ts'
import { startNextMerge } from '../merge/merge-queue.ts'
import { restIfPaused } from '../rest/pause-lane.ts'
import { schedule } from '../run/schedule.ts'
import { moveStory, type StoryMove } from './move-story.ts'
import { settleStory } from './settle-story.ts'

/**
 * Moves a story, and updates everything that depends on it: its dependents, its Run, the slots and
 * the merge queue. Null, without any change, if the table has no such move.
 */
export async function advanceStory(
  tx: Transaction,
  deps: DecisionDependencies,
  story: Story,
  move: StoryMove,
): Promise<Story | null> {
  const moved = await moveStory(tx, deps.clock, story, move)
  if (moved === null) return null
  // A task's story stands alone, and its Run holds the slot, unless their host is gone.
  if (moved.data.planned === null) {
    if (moved.state === 'SETUP' && moved.data.slot === null) await schedule(tx, deps)
    return moved
  }
  if (isSettled(moved)) await settleStory(tx, deps, moved)
  // A recorded order continues past a story that has ended without a merge.
  if (isSettled(moved) || story.state === 'MERGING' || moved.state === 'MERGING') await startNextMerge(tx, deps)
  if (isSettled(moved) || isIdle(moved)) await schedule(tx, deps)
  await restIfPaused(tx, deps, moved.run)
  return moved
}

/** The submitted change has its verdict already, and the story moves by it at once. */
export async function submitKnown(
  tx: Transaction,
  deps: Parameters<typeof advanceStory>[1],
  story: Story,
  move: StoryMove,
): Promise<void> {
  const { data } = story
  const submitted = await moveStory(tx, deps.clock, story, { event: 'change_submitted', data, verification: null })
  if (submitted === null) throw new Error(`${story.id} is handed in while it is ${story.state}`)
  await advanceStory(tx, deps, submitted, move)
}

/** True for a story that was just queued or has ended; both can affect other stories of its Run. */
function isSettled({ state }: Story): boolean {
  return state === 'QUEUED' || endStates.includes(state)
}

/** True if the story needs a slot, or could give up its own. */
function isIdle({ state, data }: Story): boolean {
  return data.slot === null || state === 'MERGING' || state === 'ESCALATED'
}
