import { applyRefused } from '../../domain/apply-refused.ts'
import { limits } from '../../domain/limits.ts'
import { followedBy, type Run, type RunData } from '../../domain/run/run.ts'
import type { RunEvent } from '../../domain/run/run-machine.ts'
import type { Story } from '../../domain/story/story.ts'
import type { StoryState } from '../../domain/story/story-machine.ts'
import type { PublishDependencies } from '../merge/dependencies.ts'
import { addToBranch } from '../remark/follow-up.ts'
import { publishNew } from './branches.ts'
import { receiptOfTask } from './make-receipt.ts'
import type { RunMove } from './move-run.ts'

/** The end of a Run whose result is handed over then: that of its one story, or of its answer. */
export async function endHandedOver(
  deps: PublishDependencies,
  run: Run,
  story: Story | null,
): Promise<Pick<RunMove, 'event' | 'data'>> {
  const event = endEvents[story ? story.state : endOf(run)]
  if (event === undefined) throw new Error(`story ${story?.id} has not ended`)
  return { event, data: story !== null && isHandedOver(story) ? await handOver(deps, run, story) : {} }
}

/** Whether nothing of the story's work is left behind. */
export function isHandedOver({ state }: Story): boolean {
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
