import type { Run } from '../../domain/run/run.ts'
import type { Story } from '../../domain/story/story.ts'
import type { Commit } from '../../ports/engine.ts'
import type { Transaction } from '../../ports/store.ts'
import { load } from '../machines.ts'
import type { StepDependencies } from '../step-dependencies.ts'
import type { WorkspaceDependencies } from './dependencies.ts'
import { holdsWork } from './keep-story.ts'
import { type StorySnapshot, snapshotStory } from './snapshot.ts'
import { isElsewhere } from './workspace.ts'

/**
 * The last step of an ended story, on the host of its slot: it saves the workspace's contents,
 * frees the slot, and lets the Run end.
 */
export async function leaveWorkspace(
  deps: WorkspaceDependencies,
  id: string,
  commit: Commit,
  signal: AbortSignal,
): Promise<void> {
  const story = await load(deps.store, 'story', id)
  const run = await load(deps.store, 'run', story.run)
  const { slot } = story.data
  const snapshot = await emptyWorkspace(deps, run, story, signal)
  await commit(async (tx) => {
    await tx.edit(story, { ...(snapshot?.ok && snapshot.data), slot: null })
    const current = await load(tx, 'run', story.run)
    await tx.queue(
      current.data.policy.slot === 'run' && current.data.slot === slot
        ? await tx.edit(current, { slot: null })
        : current,
    )
  })
}

/** Closes the workspace of an ended story, after saving its contents if possible. */
export async function emptyWorkspace(
  deps: WorkspaceDependencies,
  run: Run,
  story: Story,
  signal: AbortSignal,
): Promise<StorySnapshot | null> {
  const { slot } = story.data
  if (slot !== null) await deps.sandboxes.close(deps.workTrees.path(slot))
  if (!holdsWork(run, story)) return null
  return snapshotStory(deps, story, signal, { why: 'its run ended', setAside: true })
}

/**
 * Makes the Run wait until other hosts have saved the workspaces of its ended stories. False if
 * there are none.
 */
export async function leaveElsewhere(
  deps: StepDependencies,
  stories: readonly Story[],
  commit: Commit,
): Promise<boolean> {
  const away: Story[] = []
  for (const story of stories) {
    if (story.data.slot !== null && (await isElsewhere(deps, story.data.slot))) away.push(story)
  }
  if (away.length === 0) return false
  await commit(async (tx: Transaction) => {
    for (const { id } of away) await tx.queue(await load(tx, 'story', id))
  })
  return true
}
