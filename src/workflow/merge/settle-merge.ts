import { DrydockError } from '../../domain/drydock-error.ts'
import { unaccepted } from '../../domain/gate/gate-finding.ts'
import type { Merge } from '../../domain/merge/merge.ts'
import { landsTogether } from '../../domain/run/repositories.ts'
import type { Run } from '../../domain/run/run.ts'
import { sentence } from '../../domain/sentence.ts'
import type { Story } from '../../domain/story/story.ts'
import { lastLines } from '../../domain/text.ts'
import type { VerifierResponse } from '../../domain/verification/verdict.ts'
import { logWithEnd } from '../../domain/verification/why-failed.ts'
import { infraErrorOf } from '../../gate/infra-failure.ts'
import type { WorkflowDependencies } from '../dependencies.ts'
import { prepareStuck } from '../editor/milestone.ts'
import type { Decision } from '../lane/decision.ts'
import { load, requireStory } from '../machines.ts'
import { publishNew } from '../run/branches.ts'
import { receiptOfMerge } from '../run/make-receipt.ts'
import type { StoryDependencies } from '../story/dependencies.ts'
import { withTests } from './add-tests.ts'
import type { PublishDependencies } from './dependencies.ts'
import { attemptOf, sendBack } from './merge-story.ts'

interface Settling {
  readonly run: Run
  readonly merge: Merge
  readonly story: Story
  readonly sha: string
  readonly response: VerifierResponse
}

/**
 * Applies the verdict on a merged commit: the run branch moves to exactly this commit, or the story
 * returns. The story's counters stay unchanged.
 */
export async function settleMerge(
  deps: StoryDependencies & PublishDependencies,
  {
    run,
    merge: id,
    sha,
    response,
  }: { readonly run: Run; readonly merge: string; readonly sha: string; readonly response: VerifierResponse },
  signal: AbortSignal,
): Promise<Decision> {
  const merge = await load(deps.store, 'merge', id)
  const story = await requireStory(deps.store, merge)
  const settling = { run, merge, story, sha, response }
  if (merge.data.plain != null) return landAdded(deps, { ...settling, plain: merge.data.plain }, signal)
  switch (response.status) {
    case 'PASS': {
      const open = unaccepted(response.manifest?.integrity?.findings ?? [], story.data.reviews.code.findings)
      if (open.length > 0) {
        const tree = await deps.history.tree(sha)
        const found = open.map(({ id, claim, evidence }) => `${id}: ${claim}\n${evidence}`).join('\n\n')
        return sendBack(deps, {
          merge,
          story,
          tree,
          conflicts: [],
          explanation: found,
          tail: null,
          findings: open.map(({ id }) => id),
        })
      }
      return (await withTests(deps, settling)) ?? land(deps, settling, signal)
    }
    case 'FAIL': {
      const tree = await deps.history.tree(sha)
      const tail = lastLines(logWithEnd(response) ?? '', 80)
      return sendBack(deps, { merge, story, tree, conflicts: [], explanation: '', tail })
    }
    case 'INFRA_ERROR':
      return failMerge(deps, settling, signal)
    default:
      throw new Error(`unknown status ${response.status satisfies never}`)
  }
}

/** Lands the commit with its tests if it is green as well; otherwise the one without them. */
async function landAdded(
  deps: StoryDependencies & PublishDependencies,
  { plain, ...settling }: Settling & { readonly plain: NonNullable<Merge['data']['plain']> },
  signal: AbortSignal,
): Promise<Decision> {
  const { response, story } = settling
  const found = response.manifest?.integrity?.findings ?? []
  const isGreen = response.status === 'PASS' && unaccepted(found, story.data.reviews.code.findings).length === 0
  if (isGreen) return land(deps, settling, signal)
  const row = await deps.store.verification(plain.runId)
  if (row === null) throw new Error(`there is no verification ${plain.runId}`)
  const { status, tailLog: tail_log, manifest } = row
  const before = { status, run_id: plain.runId, tail_log, artifact_paths: null, manifest }
  return land(deps, { ...settling, sha: plain.commit, response: before }, signal)
}

/**
 * Makes the receipt, moves the branch, and then commits. Repeating these after a crash is safe,
 * since they find their own results. Nothing lands without a receipt.
 */
async function land(
  deps: StoryDependencies & PublishDependencies,
  settling: Settling,
  signal: AbortSignal,
): Promise<Decision> {
  const { run, merge, story, sha, response } = settling
  const { tip } = attemptOf(merge)
  const { branch, base } = run.data
  if (branch === null) throw new Error(`run ${run.id} has no branch`)
  if (response.manifest === null) throw new Error(`${response.run_id} has passed without a manifest`)
  const made = { run, merge, story, branch, manifest: response.manifest }
  const receipt = await unlessRefused(receiptOfMerge(deps, made))
  if (typeof receipt === 'object')
    return failMerge(deps, { ...settling, response: { ...response, ...receipt } }, signal)
  const name = landsTogether(run) ? branch : await moveBranch(deps, { branch, sha, tip, isFirst: tip === base })
  return [
    { type: 'move_merge', merge, event: 'merged', data: { receipt } },
    { type: 'move_tip', run: run.id, story, sha, branch: name },
    { type: 'settle_remarks', story, commit: sha },
    { type: 'advance_story', story, move: { event: 'merged', data: { merging: null } } },
  ]
}

interface Moving {
  readonly branch: string
  readonly sha: string
  readonly tip: string
  readonly isFirst: boolean
}

/** Returns the actual name of the branch. */
async function moveBranch(
  deps: Pick<WorkflowDependencies, 'publisher' | 'userRepository'>,
  { branch, sha, tip, isFirst }: Moving,
): Promise<string> {
  if (isFirst) return publishNew(deps, branch, sha)
  await deps.publisher.publish(branch, sha, tip)
  return branch
}

/** The place of the receipt, or the reason why there is none. */
async function unlessRefused(making: Promise<string>) {
  try {
    return await making
  } catch (error) {
    if (!(error instanceof DrydockError)) throw error
    const { errorType } = infraErrorOf(error, 'unknown')
    const error_message = sentence`The story is not merged, because no receipt could be made. ${error.message}\n${error.todo}. Then retry the story.`
    return { error_type: errorType, error_message }
  }
}

async function failMerge(
  deps: StoryDependencies,
  { run, merge, story, response }: Settling,
  signal: AbortSignal,
): Promise<Decision> {
  const { error_type: errorType = 'unknown', error_message: errorMessage = '' } = response
  const data = { stop: { infra: { errorType, errorMessage } } }
  const stuck = await prepareStuck(deps, { run, story, data, tail: logWithEnd(response) }, signal)
  return [
    { type: 'move_merge', merge, event: 'cancelled' },
    { type: 'keep_file', file: stuck.file },
    { type: 'advance_story', story, move: { event: 'infra_error', data: stuck.data } },
  ]
}
