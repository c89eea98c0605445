import { planInput } from '../agents/tools/submit-plan.ts'
import type { Run } from '../domain/run.ts'
import type { StoryData } from '../domain/story.ts'
import type { Transaction } from '../ports/store.ts'
import type { WorkflowDependencies } from './dependencies.ts'
import type { Follow } from './follow.ts'
import { readGuide } from './guide.ts'
import { storyOf } from './machines.ts'
import { prepareMilestone, prepareStuck } from './milestone.ts'
import { moveStory } from './move-story.ts'
import { snapshotDiff } from './snapshot.ts'

/** A valid plan goes to CODING: without an architect nobody reviews it. */
export async function acceptPlan(
  deps: WorkflowDependencies,
  { run, input }: { readonly run: Run; readonly input: unknown },
  signal: AbortSignal,
): Promise<Follow> {
  const plan = planInput.parse(input)
  const story = await requireStory(deps, run)
  const hypotheses = [...story.data.hypotheses, ...(plan.hypothesis ? [plan.hypothesis] : [])]
  const data = { plans: [...story.data.plans, plan], hypotheses }
  const { data: planned, file } = await prepareMilestone(deps, { run, story, milestone: 'plan', data }, signal)
  const guide = await readGuide(deps, planned.base)
  const diff = await snapshotDiff(deps, planned)
  return async (tx) => {
    await tx.insertContextFile(file)
    await moveStory(tx, deps.clock, story, {
      event: 'plan_submitted',
      data: planned,
      guide,
      diff,
    })
  }
}

/** The editor was stopped: a task has nobody to review a budget, so its story is STUCK. */
export async function stopStory(
  deps: WorkflowDependencies,
  { run, stop }: { readonly run: Run; readonly stop: NonNullable<StoryData['stop']> },
  signal: AbortSignal,
): Promise<(tx: Transaction) => Promise<void>> {
  const story = await requireStory(deps, run)
  const { data, file } = await prepareStuck(deps, { run, story, data: { stop }, tail: null }, signal)
  const event = 'infra' in stop ? 'infra_error' : 'lane_stopped'
  return async (tx) => {
    await tx.insertContextFile(file)
    await moveStory(tx, deps.clock, story, { event, data })
  }
}

export async function requireStory({ store }: Pick<WorkflowDependencies, 'store'>, run: Run) {
  const story = await storyOf(store, run.id)
  if (story === null) throw new Error(`run ${run.id} has no story`)
  return story
}
