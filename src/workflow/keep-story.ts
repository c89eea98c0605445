import type { Run } from '../domain/run.ts'
import type { Story, StoryData } from '../domain/story.ts'
import type { WorkflowDependencies } from './dependencies.ts'
import { load, storyOf } from './machines.ts'
import { snapshotStory } from './snapshot.ts'

/** What a Run's workspace held: a snapshot, nothing of its own, or work that could not be kept and still lies there. */
export type Kept = Pick<StoryData, 'snapshot' | 'snapshots'> | 'nothing' | 'unkept'

/** Whether the workspace holds the story's own work: before its first lane, or without a slot of the Run, it may hold another's. */
export function holdsWork(run: Run, story: Story): boolean {
  return run.state === 'MONITORING' && run.data.slot === story.data.slot && story.data.lane !== null
}

/** Keeps what a Run's workspace holds on a hidden ref, so that its slot can serve another Run. */
export async function keepStory(
  deps: Pick<WorkflowDependencies, 'store' | 'workspaces' | 'sandboxes' | 'clock'>,
  id: string,
  signal: AbortSignal,
): Promise<Kept> {
  const story = await storyOf(deps.store, id)
  if (!story || !holdsWork(await load(deps.store, 'run', id), story)) return 'nothing'
  const snapshot = await snapshotStory(deps, story, signal, { setAside: true }).catch(() => null)
  if (snapshot === null) return 'unkept'
  // What was refused has been set aside.
  return snapshot.ok ? snapshot.data : 'nothing'
}
