import type { WorkflowDependencies } from '../dependencies.ts'
import { answerLane } from '../lane/answer-lane.ts'
import type { Follow } from '../lane/follow.ts'

/** What was handed in says nothing of why the attempts before have failed: it is given back. */
export function askForHypothesis({ clock }: Pick<WorkflowDependencies, 'clock'>, handedIn: 'plan' | 'change'): Follow {
  const output = hypothesisMissing(handedIn)
  return (tx, lane) => answerLane(tx, clock, { lane: lane.id, output, ok: false })
}

export function hypothesisMissing(handedIn: 'plan' | 'change'): string {
  return `The ${handedIn} is refused: verifications have failed, and it does not say why. Hand it in again with \`hypothesis\`: what you believe the cause is, and what shows it.`
}
