import type { Commit } from '../../ports/engine.ts'
import type { WorkflowDependencies } from '../dependencies.ts'
import { load, storiesOf } from '../machines.ts'
import { startNextMerge } from '../merge/merge-queue.ts'
import { followEnd } from '../remark/follow-up.ts'
import { holdsWork } from '../story/keep-story.ts'
import { snapshotStory } from '../story/snapshot.ts'
import { moveRun } from './move-run.ts'
import { appendResult } from './run-result.ts'
import { schedule } from './schedule.ts'

/**
 * Nothing of a spec is left to build, or a human has ended it: what the workspaces still hold is
 * kept, and the Run ends. Its branch is there already.
 */
export async function finishSpec(
  deps: WorkflowDependencies,
  id: string,
  commit: Commit,
  signal: AbortSignal,
): Promise<void> {
  const run = await load(deps.store, 'run', id)
  const holding = (await storiesOf(deps.store, id)).filter(({ data }) => data.slot !== null)
  const kept = await Promise.all(
    holding.map(async (story) => {
      const keeping = { why: 'its run ended', setAside: true }
      const snapshot = holdsWork(run, story) ? await snapshotStory(deps, story, signal, keeping) : null
      await deps.sandboxes.close(deps.workTrees.path(story.data.slot ?? ''))
      return { story, data: { ...(snapshot?.ok && snapshot.data), slot: null } }
    }),
  )
  await commit(async (tx) => {
    for (const { story, data } of kept) await tx.edit(story, data)
    const moved = await moveRun(tx, run, { event: run.data.stopped ? 'cancelled' : 'done', next: 'rest' })
    await appendResult(tx, moved)
    await followEnd(tx, deps, moved, null)
    // It may have been merging, and those of other Runs wait.
    await startNextMerge(tx, deps)
    await schedule(tx, deps)
  })
}
