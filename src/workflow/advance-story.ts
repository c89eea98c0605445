import type { Story } from '../domain/story.ts'
import type { Transaction } from '../ports/store.ts'
import type { WorkflowDependencies } from './dependencies.ts'
import { startNextMerge } from './merge-queue.ts'
import { moveStory, type StoryMove } from './move-story.ts'
import { schedule } from './schedule.ts'
import { settleStory } from './settle-story.ts'

/** Moves a story, and all that follows for others: its dependents, its Run, the slots and the merge queue. Null, and nothing changed, when the table has no such move. */
export async function advanceStory(
  tx: Transaction,
  deps: Pick<WorkflowDependencies, 'clock' | 'slots' | 'model'>,
  story: Story,
  move: StoryMove,
): Promise<Story | null> {
  const moved = await moveStory(tx, deps.clock, story, move)
  // A task's story stands alone, and its Run holds the slot.
  if (moved === null || moved.data.planned === null) return moved
  await settleStory(tx, deps, moved)
  await startNextMerge(tx, deps)
  await schedule(tx, deps)
  return moved
}
