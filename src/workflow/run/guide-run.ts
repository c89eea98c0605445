import { limits } from '../../domain/limits.ts'
import { readApproval } from '../../domain/request/approval.ts'
import type { Run } from '../../domain/run/run.ts'
import { describeStories } from '../../domain/story/planned-story.ts'
import type { Transaction } from '../../ports/store.ts'
import { specLane } from '../architect/plan-spec.ts'
import { startStories } from '../architect/start-stories.ts'
import { askHuman } from '../chat/ask-human.ts'
import type { WorkflowDependencies } from '../dependencies.ts'
import { answerLane, endLane } from '../lane/answer-lane.ts'
import { continueLane } from '../lane/continue-lane.ts'
import { cancelRun } from './cancel-run.ts'
import { moveRun } from './move-run.ts'

type Deps = Pick<WorkflowDependencies, 'clock' | 'scope' | 'slotCaps'>

/**
 * Applies a human's answer to the Run itself: the architect continues with it in the same lane, or
 * the stories are approved.
 */
export async function guideRun(tx: Transaction, deps: Deps, run: Run, text: string): Promise<void> {
  if (run.state === 'AWAIT_APPROVAL') return answerApproval(tx, deps, run, text)
  const lane = await specLane(tx, run)
  if (lane === null) throw new Error(`run ${run.id} has no lane to go on with`)
  await moveRun(tx, run, { event: 'guided', data: { refusedPlans: 0 }, next: 'rest' })
  await continueLane(tx, lane, { output: '', guidance: text })
}

/** Adds the human's edits, since the architect only knows the stories that it handed in itself. */
function withEdits({ data: { stories, planEditors = [] } }: Run, text: string): string {
  if (planEditors.length === 0 || stories === null) return text
  const now = describeStories(stories, limits.chatChars - limits.cutNotice)
  return `${text}\n\nA person had changed your stories before saying so. They were:\n\n${now}`
}

async function answerApproval(tx: Transaction, deps: Deps, run: Run, text: string): Promise<void> {
  const { decision } = readApproval(text)
  const { stories } = run.data
  const lane = await specLane(tx, run)
  if (stories !== null && decision === 'approve') {
    if (lane !== null) await endLane(tx, deps.clock, lane.id)
    return startStories(tx, deps, run, { stories, event: 'approved' })
  }
  if (decision === 'stop') return cancelRun(tx, deps, run.id)
  if (lane !== null) {
    const guidance = withEdits(run, text)
    await moveRun(tx, run, { event: 'changes_wanted', data: { stories: null, planEditors: [] }, next: 'rest' })
    return answerLane(tx, deps.clock, { lane: lane.id, output: '', guidance, ok: false })
  }
  const escalation = await askHuman(tx, run, {
    agent: 'architect',
    tried: '',
    evidence: '',
    question: `These stories come from your own file, so only you change them. Reply \`approve\` or \`stop\`. To change them: drydock plan edit ${run.id}`,
  })
  await tx.edit(run, { escalation })
}
