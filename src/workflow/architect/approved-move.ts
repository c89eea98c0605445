import type { ReviewKind } from '../../domain/request/request.ts'
import type { Run } from '../../domain/run/run.ts'
import type { Story } from '../../domain/story/story.ts'
import type { WorkflowDependencies } from '../dependencies.ts'
import { guideFor } from '../guide/guide-for.ts'
import type { NewMerge } from '../merge/merge-queue.ts'
import type { StoryMove } from '../story/move-story.ts'
import { snapshotDiff } from '../story/snapshot.ts'

interface ApprovalInput {
  readonly run: Run
  readonly story: Story
  readonly kind: ReviewKind
  /** The reviewer's notes on an approved plan, for the editor. */
  readonly notes: string | null
  /** The reviewed commit, and its approver. */
  readonly candidate: NewMerge
}

/** The transition after an approval, with the data that the next state needs. */
export async function approvedMove(
  deps: Pick<WorkflowDependencies, 'guides' | 'history' | 'store'>,
  { run, story, kind, notes, candidate }: ApprovalInput,
): Promise<StoryMove> {
  switch (kind) {
    case 'plan': {
      const [guide, diff] = await Promise.all([guideFor(deps, story), snapshotDiff(deps, story.data)])
      return { event: 'approved', notes, guide, diff }
    }
    case 'code':
      return run.data.policy.result === 'merged' ? { event: 'approved', merge: candidate } : { event: 'passed' }
    case 'completion':
      return { event: 'approved' }
    default:
      throw new Error(`unknown review ${kind satisfies never}`)
  }
}
