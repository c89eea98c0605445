import type { Run } from '../../domain/run/run.ts'
import type { Story, StoryData } from '../../domain/story/story.ts'
import { load } from '../machines.ts'
import type { WorkspaceDependencies } from './dependencies.ts'
import { snapshotStory } from './snapshot.ts'

/** The saved work of a Run's workspace: a snapshot, or nothing of its own. */
export type KeptSnapshot = Pick<StoryData, 'snapshot' | 'snapshots'> | 'nothing'

/** Work that could not be saved, and still lies in its workspace. */
export interface Unkept {
  /** The reason, for people. */
  readonly unkept: string
}

export function isUnkept(kept: KeptSnapshot | Unkept): kept is Unkept {
  return typeof kept === 'object' && 'unkept' in kept
}

/** Tells people which workspace could not be saved, and why. */
export function describeUnkept({ unkept: why }: Unkept): string {
  return `Its workspace could not be kept, and stays as it is: ${why}`
}

/**
 * True if the workspace holds the story's own work: before its first lane, during setup, or without
 * a slot, it may hold another story's.
 */
export function holdsWork(run: Run, { state, data }: Story): boolean {
  if (data.lane === null || data.slot === null) return false
  // A story that was cancelled while returning still waits for its workspace.
  if (run.data.policy.slot === 'story')
    return (state === 'PAUSED' ? data.pausedIn : state) !== 'SETUP' && data.pending === null
  return (run.state === 'PAUSED' ? run.data.stoppedIn : run.state) === 'MONITORING' && run.data.slot === data.slot
}

interface Keeping {
  readonly why: string
  readonly signal: AbortSignal
}

/** Saves a story's workspace on a hidden ref, so that its slot can serve another. */
export async function keepStory(
  deps: WorkspaceDependencies,
  story: Story | null,
  { why, signal }: Keeping,
): Promise<KeptSnapshot> {
  if (!story || !holdsWork(await load(deps.store, 'run', story.run), story)) return 'nothing'
  const snapshot = await snapshotStory(deps, story, signal, { why, setAside: true })
  // The refused files have been set aside.
  return snapshot.ok ? snapshot.data : 'nothing'
}

/** Saves the workspace for callers that continue even if that fails. */
export async function keepStoryIfPossible(
  deps: WorkspaceDependencies,
  story: Story | null,
  keeping: Keeping,
): Promise<KeptSnapshot | Unkept> {
  try {
    return await keepStory(deps, story, keeping)
  } catch (cause) {
    return { unkept: cause instanceof Error ? cause.message : String(cause) }
  }
}
