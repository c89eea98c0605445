import type { ReviewKind } from '../domain/request.ts'
import type { StoryState } from '../domain/story-machine.ts'
import type { Commit } from '../ports/engine.ts'
import type { WorkflowDependencies } from './dependencies.ts'
import { load } from './machines.ts'
import { openRequest } from './open-request.ts'
import { reviewRequest } from './request-prompts.ts'

const reviewOf: Partial<Record<StoryState, ReviewKind>> = {
  PLAN_REVIEW: 'plan',
  CODE_REVIEW: 'code',
  COMPLETION_REVIEW: 'completion',
}

/** A review that a human was asked about goes on: another round, with what the human said. */
export async function reopenReview(deps: WorkflowDependencies, id: string, commit: Commit): Promise<void> {
  const story = await load(deps.store, 'story', id)
  const run = await load(deps.store, 'run', story.run)
  const kind = reviewOf[story.state]
  if (kind === undefined) throw new Error(`story ${id} is in no review: ${story.state}`)
  const request = await reviewRequest(deps, { run, story, kind, guidance: story.data.guidance })
  await commit(async (tx) => {
    await openRequest(tx, { run, story, request })
  })
}
