import { applyRefused } from '../../domain/apply-refused.ts'
import { limits } from '../../domain/limits.ts'
import { followedBy, type Run, type RunData } from '../../domain/run/run.ts'
import type { RunEvent } from '../../domain/run/run-machine.ts'
import type { Story } from '../../domain/story/story.ts'
import { endStates, type StoryState } from '../../domain/story/story-machine.ts'
import type { Commit } from '../../ports/engine.ts'
import type { WorkflowDependencies } from '../dependencies.ts'
import type { DecisionDependencies } from '../lane/dependencies.ts'
import { load, storiesOf } from '../machines.ts'
import type { PublishDependencies } from '../merge/dependencies.ts'
import { addToBranch, followEnd } from '../remark/follow-up.ts'
import type { WorkspaceDependencies } from '../story/dependencies.ts'
import { holdsWork } from '../story/keep-story.ts'
import { leaveElsewhere } from '../story/leave-workspace.ts'
import { keptCommit, keptFact, snapshotStory } from '../story/snapshot.ts'
import { publishNew } from './branches.ts'
import { receiptOfTask } from './make-receipt.ts'
import { moveRun } from './move-run.ts'
import { appendResult } from './run-result.ts'
import { schedule } from './schedule.ts'

/**
 * MONITORING, and its work has ended: hands the result to the user, gives the slot up, and ends the
 * Run. Done again after a crash, it does nothing twice.
 */
export async function finishRun(
  deps: PublishDependencies & WorkspaceDependencies & DecisionDependencies & Pick<WorkflowDependencies, 'trailers'>,
  id: string,
  commit: Commit,
  signal: AbortSignal,
): Promise<void> {
  const run = await load(deps.store, 'run', id)
  const story = (await storiesOf(deps.store, id))[0] ?? null
  if (story && !endStates.includes(story.state)) {
    await commit(async () => {})
    return
  }
  if (story && (await leaveElsewhere(deps, [story], commit))) return
  if (run.data.slot !== null) await deps.sandboxes.close(deps.workTrees.path(run.data.slot))
  const snapshot = story && holdsWork(run, story) ? await snapshotAtEnd(deps, story, signal) : null
  const data = snapshot?.ok && snapshot.snapshot.sha !== story?.data.snapshot?.sha ? snapshot.data : {}
  const isHandedOver = story?.state === 'DONE' || story?.state === 'NO_CHANGE'
  const handed = isHandedOver ? await handOver(deps, run, story) : {}
  const left =
    isHandedOver || !story ? {} : keptFact(await keptCommit(deps, { ...story.data, ...data }), snapshot?.ok !== false)
  const event = endEvents[story ? story.state : endOf(run)]
  if (event === undefined) throw new Error(`story ${story?.id} has not ended`)
  await commit(async (tx) => {
    const changed = { ...data, ...left }
    const ended = story && Object.keys(changed).length > 0 ? await tx.edit(story, changed) : story
    const moved = await moveRun(tx, run, { event, data: { ...handed, slot: null }, next: 'rest' })
    await appendResult(tx, moved)
    await followEnd(tx, deps, moved, ended)
    await schedule(tx, deps)
  })
}

/** The end of a Run is that of its one story. */
const endEvents: Partial<Record<StoryState, RunEvent>> = {
  DONE: 'done',
  STUCK: 'stuck',
  REJECTED: 'stuck',
  INFRA_ERROR: 'infra_error',
  NO_CHANGE: 'unchanged',
  CANCELLED: 'cancelled',
}

/** The slot will be reset for another story: what is in it stays on a hidden ref. */
function snapshotAtEnd(deps: WorkspaceDependencies, story: Story, signal: AbortSignal) {
  return snapshotStory(deps, story, signal, { why: 'its run ended', setAside: true })
}

/**
 * What the user gets: a diff, uncommitted files, or a branch at exactly the commit that was
 * verified.
 */
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
  if (!request.apply) return { branch: await publishWithReceipt(deps, { run, story, branch, sha }) }
  const result = await deps.userRepository.applyToUserTree(base, sha)
  if (result.applied) return { applied: result.files, branch: null }
  const published = await publishWithReceipt(deps, { run, story, branch, sha })
  const error = applyRefused(result, `Nothing was applied. The verified change is on the branch ${published}.`)
  return { branch: published, error: { code: error.code, message: error.message, todo: error.todo } }
}

interface Published {
  readonly run: Run
  readonly story: Story
  readonly branch: string
  readonly sha: string
}

async function publishWithReceipt(deps: PublishDependencies, { run, story, branch, sha }: Published): Promise<string> {
  const runId = story.data.attempts.at(-1)?.runId ?? ''
  await receiptOfTask(deps, { run, story, branch, runId })
  const followed = followedBy(run)
  return followed === null ? publishNew(deps, branch, sha) : addToBranch(deps, followed, sha)
}

function endOf(run: Run): 'DONE' | 'INFRA_ERROR' | 'CANCELLED' {
  const answer = run.data.answer
  if (answer === null) return 'CANCELLED'
  return typeof answer === 'object' && 'error_type' in answer ? 'INFRA_ERROR' : 'DONE'
}
