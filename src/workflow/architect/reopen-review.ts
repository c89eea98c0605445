import { holding } from '../../domain/gate/finding.ts'
import type { ReviewKind } from '../../domain/request/request.ts'
import type { Run } from '../../domain/run/run.ts'
import { reviewIn, type Story } from '../../domain/story/story.ts'
import type { Commit } from '../../ports/engine.ts'
import type { DecisionDependencies } from '../lane/dependencies.ts'
import { load, runOf } from '../machines.ts'
import { advanceStory } from '../story/advance-story.ts'
import type { StoryDependencies } from '../story/dependencies.ts'
import { keepStory } from '../story/keep-story.ts'
import { approvedMove } from './approved-move.ts'
import { openRequest } from './open-request.ts'
import { acceptedNotes } from './prompts/request.ts'
import { reviewRequest } from './request-prompts.ts'

/**
 * Reopens a review that ended or that a human was asked about: it is approved if the human has
 * accepted all that held it; otherwise another round starts with the human's words.
 */
export async function reopenReview(
  deps: StoryDependencies & DecisionDependencies,
  id: string,
  commit: Commit,
  signal: AbortSignal,
): Promise<void> {
  const story = await load(deps.store, 'story', id)
  const kind = reviewIn(story.state)
  if (kind === null) throw new Error(`story ${id} is in no review: ${story.state}`)
  const { findings, sha } = story.data.reviews[kind]
  const run = await runOf(deps.store, story)
  if (sha !== null && holding(findings).length === 0) return approve(deps, { run, story, kind, sha }, commit, signal)
  const request = await reviewRequest(deps, { run, story, kind, guidance: story.data.guidance })
  await commit(async (tx) => {
    await openRequest(tx, { run, story, request })
  })
}

interface ApprovalInput {
  readonly run: Run
  readonly story: Story
  readonly kind: ReviewKind
  /** The commit of the last review. */
  readonly sha: string
}

/** Work that the editor has started since is stored beside the approved commit. */
async function approve(
  deps: StoryDependencies & DecisionDependencies,
  { run, story, kind, sha }: ApprovalInput,
  commit: Commit,
  signal: AbortSignal,
): Promise<void> {
  const { reviews, requests, name } = story.data
  const notes = acceptedNotes(reviews[kind].findings)
  const candidate = { candidate: sha, reviewer: `human (code/${name}/${requests[kind]}, findings accepted)` }
  const move = await approvedMove(deps, { run, story, kind, notes, candidate })
  const kept = await keepStory(deps, story, { why: 'a human accepted the findings', signal })
  const snapshots = kept === 'nothing' ? {} : { snapshots: kept.snapshots }
  const review = { ...reviews[kind], returned: 0 }
  const data = { ...snapshots, reviews: { ...reviews, [kind]: review } }
  await commit(async (tx) => {
    await advanceStory(tx, deps, story, { ...move, data })
  })
}
