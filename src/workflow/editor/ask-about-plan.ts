import { acceptanceCost } from '../../domain/acceptance/acceptance-cost.ts'
import { readApproval } from '../../domain/request/approval.ts'
import type { Run } from '../../domain/run/run.ts'
import { describePlan } from '../../domain/story/describe-plan.ts'
import type { Plan } from '../../domain/story/plan.ts'
import type { Story, StoryData } from '../../domain/story/story.ts'
import type { Transaction } from '../../ports/store.ts'
import type { DecisionDependencies } from '../lane/dependencies.ts'
import { cancelRun } from '../run/cancel-run.ts'
import { advanceStory } from '../story/advance-story.ts'
import type { StoryMove } from '../story/move-story.ts'

/** Asks a person to approve the plan before any file changes. */
export function askAboutPlan(run: Run, data: StoryData, plan: Plan): StoryMove {
  const cost = acceptanceCost(run, [data.task])
  return {
    event: 'escalated',
    data: { ...data, isPlanAsked: true },
    question: {
      agent: 'drydock',
      question: [
        'Shall this plan be built? Reply `approve`, which may be followed by more for the editor to heed, `stop` to end the run, or say what to change.',
        ...(cost === null ? [] : [cost]),
      ].join(' '),
      tried: '',
      evidence: describePlan(plan),
    },
  }
}

/**
 * Applies a person's decision on the plan. The workspace is set up again for an approved plan,
 * since it may have served other stories in the meantime.
 */
export async function answerAboutPlan(
  tx: Transaction,
  deps: DecisionDependencies,
  story: Story,
  text: string,
): Promise<void> {
  const { decision, words } = readApproval(text)
  if (decision === 'stop') return cancelRun(tx, deps, story.run)
  if (decision === 'change') {
    const output = 'The plan is not approved. Change it as the person says, and hand in the whole plan again.'
    const answer = { output, guidance: words, ok: false }
    await advanceStory(tx, deps, story, { event: 'guided', data: { isPlanAsked: false }, answer })
    return
  }
  const pending = { from: story.state, event: 'approved', answer: null, notes: null } as const
  const data = { pending, isPlanAsked: false, ...(words !== '' && { guidance: words }) }
  await advanceStory(tx, deps, story, { event: 'workspace_wanted', data })
}
