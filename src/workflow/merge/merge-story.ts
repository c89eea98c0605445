import { limits } from '../../domain/limits.ts'
import type { Merge } from '../../domain/merge/merge.ts'
import { snapshotRefs } from '../../domain/run/kept-work.ts'
import { commitMessage } from '../../domain/story/commit-message.ts'
import type { Story, StoryData } from '../../domain/story/story.ts'
import type { Commit } from '../../ports/engine.ts'
import { mergeMessage } from '../architect/prompts/request.ts'
import type { WorkflowDependencies } from '../dependencies.ts'
import { applyDecision } from '../lane/apply-decision.ts'
import type { Decision } from '../lane/decision.ts'
import type { DecisionDependencies } from '../lane/dependencies.ts'
import { load, requireStory } from '../machines.ts'
import type { StoryMove } from '../story/move-story.ts'
import { snapshotMessage } from '../story/snapshot.ts'
import type { CommitDependencies } from './dependencies.ts'

/** The verifier's checkout for merged commits, used by one merge at a time. */
export const mergeCheckout = 'merge'

/**
 * MERGING: merges the approved commit onto the run branch's tip, and requests a verification of
 * exactly the commit that would become the tip.
 */
export async function mergeStory(
  deps: CommitDependencies & DecisionDependencies,
  id: string,
  commit: Commit,
): Promise<void> {
  const merge = await load(deps.store, 'merge', id)
  const story = await requireStory(deps.store, merge)
  const { tip, runId, at } = attemptOf(merge)
  const merged = await deps.history.merge({ ours: tip, theirs: merge.data.candidate })
  if (!merged.clean) {
    const back = await sendBack(deps, { merge, story, ...merged, tail: null })
    await commit((tx) => applyDecision(tx, deps, back))
    return
  }
  const sha = await commitMerged(deps, { merge, story, tree: merged.tree })
  await commit(async (tx) => {
    await tx.move(merge, 'committed', { data: { commit: sha }, next: 'rest' })
    const data = { runId, commit: sha, base: tip, checkout: mergeCheckout, requestedAt: at, merge: id }
    const { run, story: name } = merge
    // The verification exists already if the merge continues after its Run was in ERROR.
    if ((await tx.machine(runId)) === null)
      await tx.create({ id: runId, kind: 'verification', run, story: name, data }, 'queue')
    else await tx.move(await load(tx, 'verification', runId), 'requested_again', { data, next: 'queue' })
  })
}

export function attemptOf({ id, data: { attempt } }: Merge) {
  if (attempt === null) throw new Error(`merge ${id} has not started`)
  return attempt
}

interface MergeCommitInput {
  readonly merge: Merge
  readonly story: Story
  readonly tree: string
}

/**
 * Makes one commit for each story on the run branch, with its editor's words. `runId` names another
 * verification than the attempt's.
 */
export async function commitMerged(
  deps: Pick<WorkflowDependencies, 'trailers' | 'history' | 'userRepository'>,
  { merge, story, tree, ...more }: MergeCommitInput & { readonly runId?: string },
): Promise<string> {
  const { tip, at, ...attempt } = attemptOf(merge)
  const { runId } = { ...attempt, ...more }
  const own = { 'Drydock-Story': story.id, 'Verified-By': runId, 'Reviewed-By': merge.data.reviewer }
  const message = commitMessage({ summary: story.data.change?.summary ?? '', own, added: deps.trailers })
  return deps.history.commit({
    tree,
    parents: [tip],
    message,
    author: await deps.userRepository.author(),
    at: new Date(at),
    signed: true,
    ref: `refs/drydock/merges/${story.id}/${runId}`,
  })
}

interface ReturnInput extends MergeCommitInput {
  readonly conflicts: readonly string[]
  readonly explanation: string
  /** Last lines of the failed verification; null for a conflict and for findings of the gate. */
  readonly tail: string | null
  /** Ids of the gate's findings that nobody has accepted. */
  readonly findings?: readonly string[]
}

/**
 * Returns the story to its editor with the facts, and with the merge in its workspace, so that the
 * next change is based on both. After too many returns a human is asked first.
 */
export async function sendBack(
  deps: Pick<WorkflowDependencies, 'history'>,
  { merge, story, tree, conflicts, explanation, tail, findings = [] }: ReturnInput,
): Promise<Decision> {
  const { tip, runId, at } = attemptOf(merge)
  const { candidate } = merge.data
  const snapshots = story.data.snapshots + 1
  const sha = await deps.history.commit({
    tree,
    parents: [tip, candidate],
    at: new Date(at),
    message: snapshotMessage(story, snapshots, 'a merge was sent back'),
    ref: `${snapshotRefs(story.id)}${snapshots}`,
  })
  const verification = tail === null ? null : runId
  const facts = mergeMessage({ conflicts, explanation, tail, tip, runId: verification })
  const mergeReturns = story.data.mergeReturns + 1
  const data: Partial<StoryData> = {
    base: tip,
    snapshot: { sha, tree },
    snapshots,
    mergeReturns,
    merging: { candidate, conflicts, runId: verification, facts },
  }
  const move = mergeReturns < limits.mergeReturns ? returnToEditor(data, facts) : askAboutReturns(story, data, facts)
  const why = { conflicts: conflicts.slice(0, limits.eventPaths), ...(findings.length > 0 && { findings }) }
  return [
    { type: 'move_merge', merge, event: 'returned', why },
    { type: 'advance_story', story, move },
  ]
}

function returnToEditor(data: Partial<StoryData>, facts: string): StoryMove {
  return { event: 'merge_returned', data, answer: { output: facts, ok: false } }
}

/** The slot is given up, since the workspace is older than the story's new base. */
function askAboutReturns(story: Story, data: Partial<StoryData>, facts: string): StoryMove {
  return {
    event: 'escalated',
    data: { ...data, slot: null, mergeReturns: 0 },
    question: {
      question: `${story.story} came back from merging ${data.mergeReturns} times. How should its editor continue?`,
      tried: `${data.mergeReturns} merges onto the run branch`,
      evidence: facts,
    },
  }
}
