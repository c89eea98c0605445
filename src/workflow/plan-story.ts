import { planInput } from '../agents/tools/submit-plan.ts'
import { isHypothesisDue } from '../domain/hypothesis-due.ts'
import type { Lane } from '../domain/lane.ts'
import { isSamePlan } from '../domain/plan.ts'
import { hasCrew, type Run } from '../domain/run.ts'
import { advanceStory } from './advance-story.ts'
import { answerLane } from './answer-lane.ts'
import { askForHypothesis } from './ask-for-hypothesis.ts'
import type { WorkflowDependencies } from './dependencies.ts'
import type { Follow } from './follow.ts'
import { requireStory } from './machines.ts'
import { prepareMilestone } from './milestone.ts'
import { reviewRequest } from './request-prompts.ts'
import { snapshotDiff } from './snapshot.ts'

const samePlan =
  'This is word for word a plan that has failed: the verifier was red three times in a row with it. The same plan leads to the same change. Hand in another way: other slices, other files, or another behaviour that meets the task.'

/** A valid plan goes to the architect; without one nobody reviews it, and it goes to CODING. One that has failed before is refused. */
export async function acceptPlan(
  deps: WorkflowDependencies,
  { run, lane, input }: { readonly run: Run; readonly lane: Lane; readonly input: unknown },
  signal: AbortSignal,
): Promise<Follow> {
  const plan = planInput.parse(input)
  const story = await requireStory(deps.store, lane)
  if (!plan.hypothesis && isHypothesisDue('plan', story.data)) return askForHypothesis(deps, 'plan')
  const failed = story.data.plans.slice(0, story.data.failedPlans ?? 0)
  if (failed.some((earlier) => isSamePlan(earlier, plan))) {
    return (tx, current) => answerLane(tx, deps.clock, { lane: current.id, output: samePlan, ok: false })
  }
  const hypotheses = [...story.data.hypotheses, ...(plan.hypothesis ? [plan.hypothesis] : [])]
  const data = { plans: [...story.data.plans, plan], hypotheses }
  const { data: planned, file } = await prepareMilestone(deps, { run, story, milestone: 'plan', data }, signal)
  const move = hasCrew(run)
    ? {
        event: 'plan_to_review' as const,
        request: await reviewRequest(deps, { run, story: { ...story, data: planned }, kind: 'plan' }),
      }
    : {
        event: 'plan_submitted' as const,
        guide: await deps.guide(planned.base),
        diff: await snapshotDiff(deps, planned),
      }
  return async (tx) => {
    await tx.insertContextFile(file)
    await advanceStory(tx, deps, story, { ...move, data: planned })
  }
}
