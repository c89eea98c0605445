import { applyRefused } from '../../domain/apply-refused.ts'
import { limits } from '../../domain/limits.ts'
import { landsTogether } from '../../domain/run/repositories.ts'
import type { Run, RunData } from '../../domain/run/run.ts'
import type { RunEvent } from '../../domain/run/run-machine.ts'
import type { Story, StoryData } from '../../domain/story/story.ts'
import { endStates, type StoryState } from '../../domain/story/story-machine.ts'
import type { Commit } from '../../ports/engine.ts'
import { load, storiesOf } from '../machines.ts'
import type { PublishDependencies } from '../merge/dependencies.ts'
import { landingNow, landNext } from '../merge/land-together.ts'
import { startNextMerge } from '../merge/merge-queue.ts'
import { addToBranch, followEnd } from '../remark/follow-up.ts'
import type { RepositoryDependencies } from '../repositories.ts'
import { emptyWorkspace, leaveElsewhere } from '../story/leave-workspace.ts'
import { keptCommit, keptFact } from '../story/snapshot.ts'
import { checkRunBase } from '../verification/check-run-base.ts'
import type { VerificationDependencies } from '../verification/dependencies.ts'
import { publishNew } from './branches.ts'
import { receiptOfTask } from './make-receipt.ts'
import { moveRun, type RunMove } from './move-run.ts'
import { appendResult } from './run-result.ts'
import { schedule } from './schedule.ts'

type EndDependencies = VerificationDependencies & RepositoryDependencies

/**
 * Ends a Run whose work has ended or that a human has ended: saves the contents of the workspaces,
 * hands over unmerged work, and moves the Run. Repeating it after a crash is safe.
 */
export async function endRun(deps: EndDependencies, id: string, commit: Commit, signal: AbortSignal): Promise<void> {
  const run = await load(deps.store, 'run', id)
  const { slot, stopped, policy } = run.data
  const isMerged = policy.result === 'merged'
  if (isMerged && ((await checkRunBase(deps, run, commit, signal)) || (await landNext(deps, run, commit)))) return
  const stories = await storiesOf(deps.store, id)
  if (!stopped && stories.some(({ state }) => !endStates.includes(state))) {
    await commit(async () => {})
    return
  }
  if (await leaveElsewhere(deps, stories, commit)) return
  if (slot !== null) await deps.sandboxes.close(deps.workTrees.path(slot))
  const holding = stories.filter(({ data }) => policy.slot === 'run' || data.slot !== null)
  const kept = await Promise.all(
    holding.map(async (story) => ({ story, data: await keepAtEnd(deps, run, story, signal) })),
  )
  const [only = null] = stories
  const ending = isMerged ? await endMerged(deps, run, stories) : await endHandedOver(deps, run, only)
  await commit(async (tx) => {
    const ended: Story[] = []
    for (const { story, data } of kept) ended.push(Object.keys(data).length > 0 ? await tx.edit(story, data) : story)
    const moved = await moveRun(tx, run, { ...ending, data: { ...ending.data, slot: null }, next: 'rest' })
    await appendResult(tx, moved)
    await followEnd(tx, deps, moved, isMerged ? null : (ended[0] ?? null))
    // The Run may have been merging, and merges of other Runs wait.
    if (isMerged) await startNextMerge(tx, deps)
    await schedule(tx, deps)
  })
}

/** Saves the slot's contents on a hidden ref, since the slot will be reset for another story. */
async function keepAtEnd(
  deps: EndDependencies,
  run: Run,
  story: Story,
  signal: AbortSignal,
): Promise<Partial<StoryData>> {
  const snapshot = await emptyWorkspace(deps, run, story, signal)
  const data = {
    ...(snapshot?.ok && snapshot.snapshot.sha !== story.data.snapshot?.sha && snapshot.data),
    // People may look at the workspace of a Run's own slot until another Run gets it.
    ...(run.data.policy.slot === 'story' && { slot: null }),
  }
  if (isHandedOver(story)) return data
  return { ...data, ...keptFact(await keptCommit(deps, { ...story.data, ...data }), snapshot?.ok !== false) }
}

/** Several repositories land together or not at all: if one story is missing, none lands. */
async function endMerged(
  deps: EndDependencies,
  run: Run,
  stories: readonly Story[],
): Promise<Pick<RunMove, 'event' | 'data'>> {
  if (!landsTogether(run)) return { event: run.data.stopped ? 'cancelled' : 'done' }
  const landing = await landingNow(deps, run)
  const isWhole = stories.every(({ state }) => state === 'DONE' || state === 'DROPPED')
  const isLanded = landing.landing?.every(({ moved }) => moved) ?? !run.data.stopped
  return isWhole && isLanded
    ? { event: 'done', data: { ...landing, stopped: false } }
    : { event: 'cancelled', data: { ...landing, stopped: true } }
}

/** Ends a Run whose result is handed over only now: that of its one story, or its answer. */
async function endHandedOver(
  deps: PublishDependencies,
  run: Run,
  story: Story | null,
): Promise<Pick<RunMove, 'event' | 'data'>> {
  const event = endEvents[story ? story.state : endOf(run)]
  if (event === undefined) throw new Error(`story ${story?.id} has not ended`)
  return { event, data: story !== null && isHandedOver(story) ? await handOver(deps, run, story) : {} }
}

/** True if none of the story's work is left behind. */
function isHandedOver({ state }: Story): boolean {
  return state === 'DONE' || state === 'NO_CHANGE'
}

const endEvents: Partial<Record<StoryState, RunEvent>> = {
  DONE: 'done',
  STUCK: 'stuck',
  REJECTED: 'stuck',
  INFRA_ERROR: 'infra_error',
  NO_CHANGE: 'unchanged',
  CANCELLED: 'cancelled',
}

function endOf(run: Run): 'DONE' | 'INFRA_ERROR' | 'CANCELLED' {
  const answer = run.data.answer
  if (answer === null) return 'CANCELLED'
  return typeof answer === 'object' && 'error_type' in answer ? 'INFRA_ERROR' : 'DONE'
}

/** Hands over the result: a diff, uncommitted files, or a branch at exactly the verified commit. */
async function handOver(deps: PublishDependencies, run: Run, story: Story): Promise<Partial<RunData>> {
  const { request, branch } = run.data
  const { base, snapshot } = story.data
  if (request.kind !== 'task') return {}
  if (request.dryRun) {
    if (snapshot === null || snapshot.sha === base) return { diff: '' }
    const { text } = await deps.history.diff({ from: base, to: snapshot.sha, maxBytes: limits.previewBytes })
    return { diff: text }
  }
  const sha = story.data.attempts.at(-1)?.sha ?? base
  if (sha === base || branch === null) return { branch: null }
  const publish = async () => {
    await receiptOfTask(deps, { run, story, branch })
    return request.follows ? addToBranch(deps, request.follows, sha) : publishNew(deps, branch, sha)
  }
  if (!request.apply) return { branch: await publish() }
  const result = await deps.userRepository.applyToUserTree(base, sha)
  if (result.applied) return { applied: result.files, branch: null }
  const published = await publish()
  const error = applyRefused(result, `Nothing was applied. The verified change is on the branch ${published}.`)
  return { branch: published, error: { code: error.code, message: error.message, todo: error.todo } }
}
