import type { InputOf } from '../../agents/tools/handed-over.ts'
import type { Lane } from '../../domain/lane/lane.ts'
import type { Run } from '../../domain/run/run.ts'
import { isHypothesisDue, noHypothesis } from '../../domain/story/hypothesis-due.ts'
import { isSamePlan, type Plan } from '../../domain/story/plan.ts'
import type { Story } from '../../domain/story/story.ts'
import { reviewRequest } from '../architect/request-prompts.ts'
import type { WorkflowDependencies } from '../dependencies.ts'
import { guideFor } from '../guide/guide-for.ts'
import type { Decision } from '../lane/decision.ts'
import { isRefusedBefore, refuseCall } from '../lane/refuse-call.ts'
import { requireStory } from '../machines.ts'
import type { StoryDependencies } from '../story/dependencies.ts'
import type { StoryMove } from '../story/move-story.ts'
import { snapshotDiff } from '../story/snapshot.ts'
import { askAboutPlan } from './ask-about-plan.ts'
import { hypothesisMissing } from './hypothesis-missing.ts'
import { prepareMilestone } from './milestone.ts'

const samePlan =
  'This plan has already failed, word for word: verification was red three times in a row with it. The same plan leads to the same change. Hand in a different one: other slices, other files, or another behaviour that meets the task.'

/**
 * Passes a valid plan to its reviewer, or directly to CODING. Refuses a plan that has failed
 * before.
 */
export async function acceptPlan(
  deps: StoryDependencies,
  { run, lane, input: plan }: { readonly run: Run; readonly lane: Lane; readonly input: InputOf<'submit_plan'> },
  signal: AbortSignal,
): Promise<Decision> {
  const story = await requireStory(deps.store, lane)
  const isWanting = !plan.hypothesis && isHypothesisDue('plan', story.data)
  const missing = hypothesisMissing('plan')
  if (isWanting && lane.data.agent === undefined && !isRefusedBefore(lane, missing))
    return refuseCall(deps, { run, lane, output: missing }, signal)
  const failed = story.data.plans.slice(0, story.data.failedPlans ?? 0)
  if (failed.some((earlier) => isSamePlan(earlier, plan)))
    return refuseCall(deps, { run, lane, output: samePlan }, signal)
  const hypothesis = isWanting ? noHypothesis : plan.hypothesis
  const hypotheses = [...story.data.hypotheses, ...(hypothesis ? [hypothesis] : [])]
  const data = { plans: [...story.data.plans, plan], attemptsBeforePlan: story.data.attempts.length, hypotheses }
  const { data: planned, file } = await prepareMilestone(deps, { run, story, milestone: 'plan', data }, signal)
  const move = await moveFor(deps, { run, story: { ...story, data: planned }, plan })
  return [
    { type: 'keep_file', file },
    { type: 'advance_story', story, move },
  ]
}

interface PlanInput {
  readonly run: Run
  /** The story with the plan stored in it. */
  readonly story: Story
  readonly plan: Plan
}

/** The next step for a valid plan: its review, a person's approval, or the code. */
async function moveFor(
  deps: Pick<WorkflowDependencies, 'store' | 'history' | 'guides'>,
  { run, story, plan }: PlanInput,
): Promise<StoryMove> {
  const { data } = story
  const { planReviewer } = run.data.policy
  switch (planReviewer) {
    case 'architect':
      return { event: 'plan_to_review', data, request: await reviewRequest(deps, { run, story, kind: 'plan' }) }
    case 'human':
      return askAboutPlan(run, data, plan)
    case null: {
      const [guide, diff] = await Promise.all([guideFor(deps, story), snapshotDiff(deps, data)])
      return { event: 'plan_submitted', data, guide, diff }
    }
    default:
      throw new Error(`unknown reviewer of plans ${planReviewer satisfies never}`)
  }
}
