import type { StoryData } from '../domain/story.ts'
import type { StoryState } from '../domain/story-machine.ts'
import type { WorkflowDependencies } from './dependencies.ts'
import { storyOf } from './machines.ts'
import { snapshotStory } from './snapshot.ts'

export type Kept = Pick<StoryData, 'snapshot' | 'snapshots'>

/** In which a workspace holds the story's own work; before, it may still hold another's. */
const working: readonly StoryState[] = ['PLANNING', 'CODING', 'VERIFYING']

/** What a Run's workspace holds, on a hidden ref, so that its slot can serve another Run; null when that is not possible. */
export async function keepStory(
  deps: Pick<WorkflowDependencies, 'store' | 'workspaces' | 'sandboxes' | 'clock'>,
  run: string,
  signal: AbortSignal,
): Promise<Kept | null> {
  const story = await storyOf(deps.store, run)
  if (!story || !working.includes(story.state)) return null
  const snapshot = await snapshotStory(deps, story, signal, { setAside: true }).catch(() => null)
  return snapshot?.ok ? snapshot.data : null
}
