import { landsTogether } from '../../domain/run/repositories.ts'
import type { Run, RunData } from '../../domain/run/run.ts'
import type { Story } from '../../domain/story/story.ts'
import type { Commit } from '../../ports/engine.ts'
import { load, storiesOf } from '../machines.ts'
import { landingNow, landNext } from '../merge/land-together.ts'
import { startNextMerge } from '../merge/merge-queue.ts'
import { followEnd } from '../remark/follow-up.ts'
import type { RepositoryDependencies } from '../repositories.ts'
import { holdsWork } from '../story/keep-story.ts'
import { leaveElsewhere } from '../story/leave-workspace.ts'
import { keptCommit, keptFact, snapshotStory } from '../story/snapshot.ts'
import { checkRunBase } from '../verification/check-run-base.ts'
import type { VerificationDependencies } from '../verification/dependencies.ts'
import { moveRun, type RunMove } from './move-run.ts'
import { appendResult } from './run-result.ts'
import { schedule } from './schedule.ts'

/**
 * Nothing of a spec is left to build, or a human has ended it: what the workspaces still hold is
 * kept, and the Run ends. Its branch is there already.
 */
export async function finishSpec(
  deps: VerificationDependencies & RepositoryDependencies,
  id: string,
  commit: Commit,
  signal: AbortSignal,
): Promise<void> {
  const run = await load(deps.store, 'run', id)
  if (await checkRunBase(deps, run, commit, signal)) return
  if (await landNext(deps, run, commit)) return
  const holding = (await storiesOf(deps.store, id)).filter(({ data }) => data.slot !== null)
  if (await leaveElsewhere(deps, holding, commit)) return
  const kept = await Promise.all(
    holding.map(async (story) => {
      const keeping = { why: 'its run ended', setAside: true }
      const snapshot = holdsWork(run, story) ? await snapshotStory(deps, story, signal, keeping) : null
      await deps.sandboxes.close(deps.workTrees.path(story.data.slot ?? ''))
      const data = { ...(snapshot?.ok && snapshot.data), slot: null }
      const kept = keptFact(await keptCommit(deps, { ...story.data, ...data }), snapshot?.ok !== false)
      return { story, data: { ...data, ...kept } }
    }),
  )
  const landing = await landingNow(deps, run)
  await commit(async (tx) => {
    for (const { story, data } of kept) await tx.edit(story, data)
    const ending = endOf(run, { stories: await storiesOf(tx, id), landing })
    const moved = await moveRun(tx, run, { ...ending, next: 'rest' })
    await appendResult(tx, moved)
    await followEnd(tx, deps, moved, null)
    // It may have been merging, and those of other Runs wait.
    await startNextMerge(tx, deps)
    await schedule(tx, deps)
  })
}

interface Ending {
  readonly stories: readonly Story[]
  readonly landing: Pick<RunData, 'landing'>
}

/** Several repositories land together or not at all: without one of its stories, none does. */
function endOf(run: Run, { stories, landing }: Ending): Pick<RunMove, 'event' | 'data'> {
  if (!landsTogether(run)) return { event: run.data.stopped ? 'cancelled' : 'done' }
  const isWhole = stories.every(({ state }) => state === 'DONE' || state === 'DROPPED')
  const isLanded = landing.landing?.every(({ moved }) => moved) ?? !run.data.stopped
  return isWhole && isLanded
    ? { event: 'done', data: { ...landing, stopped: false } }
    : { event: 'cancelled', data: { ...landing, stopped: true } }
}
