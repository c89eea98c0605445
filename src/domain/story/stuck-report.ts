import { limits } from '../limits.ts'
import { capText, lastLines } from '../text.ts'
import { attemptLines } from './attempt-lines.ts'
import { hypothesesText } from './hypotheses-text.ts'
import type { StoryData } from './story.ts'

const reasons = {
  hard_stop: 'the verifier failed 12 times without a PASS',
  iteration_limit: 'the editor reached its iteration limit without handing in its work',
  context_overflow: 'the conversation no longer fits the model; a retry starts a fresh one',
  malformed: 'the model of the editor made the same unusable call five times in a row',
  identical_calls: 'the editor made the same call with the same result five times in a row',
  no_progress: 'the editor went on without progress: no new change, no other failing test, no finding settled',
  rejected: 'the architect rejected it',
} as const

interface Left {
  /** The commit that keeps its change; null when it has changed nothing. */
  readonly kept: string | null
  /** Why the workspace, as it is at the end, is in no snapshot. */
  readonly refused?: string | null
  /** The end of the last failure's log. */
  readonly tail?: string | null
}

/**
 * What a human needs to go on: the task, all hypotheses, the verification history and where the
 * artifacts are. No model is asked for it.
 */
export function stuckReport(
  story: Pick<StoryData, 'task' | 'plans' | 'hypotheses' | 'attempts' | 'stop' | 'contextFiles' | 'contextPlace'>,
  { kept, refused = null, tail = null }: Left,
): string {
  const { task, plans, attempts, stop } = story
  const why = whyStopped(stop)
  const plan = plans.at(-1)
  const nonGoals = [...new Set([...task.non_goals, ...(plan?.non_goals ?? [])])]
  return [
    `# Stuck: ${task.text.split('\n')[0]}`,
    `Why: ${why}.`,
    task.text.includes('\n') && `## Task\n${capText(task.text, limits.report.taskChars)}`,
    task.acceptance_criteria?.length && `## Acceptance criteria\n${list(task.acceptance_criteria)}`,
    `## Constraints\n${list(task.constraints)}`,
    `## Non-goals\n${list(nonGoals)}`,
    `## Hypotheses\n${hypothesesText(story, why)}`,
    `## Verifications\n${attemptLines(attempts)}`,
    tail && `## Last failure\n\`\`\`\n${lastLines(tail, 30)}\n\`\`\``,
    `## Last plan\n${plan ? `${plan.behaviour_change}\n${list(plan.slices)}` : 'None.'}`,
    contextLine(story),
    `## Work so far\n${kept === null ? 'Nothing was changed.' : `Kept as commit ${kept.slice(0, 12)} (\`drydock diff\` shows it); a retry goes on from it.`}`,
    refused && `What came after it is in no snapshot (${refused}) and lies in set-aside/ of the state.`,
  ]
    .filter(Boolean)
    .join('\n\n')
}

function whyStopped(stop: StoryData['stop']): string {
  if (stop === null) return 'unknown'
  if ('infra' in stop) return `infrastructure: ${stop.infra.errorType}: ${stop.infra.errorMessage}`
  return [reasons[stop.reason], stop.last].filter(Boolean).join('; ')
}

function contextLine({ contextFiles, contextPlace }: Pick<StoryData, 'contextFiles' | 'contextPlace'>): string | false {
  if (contextFiles === 0 || !contextPlace) return false
  const { folder, problem } = contextPlace
  const failed = problem === null ? '' : ` The newest could not be written there: ${problem}.`
  return `## Context files\n${contextFiles} of them, in \`${folder}/\` of its workspace; a retry finds them there.${failed}`
}

function list(items: readonly string[]): string {
  return items.length === 0 ? 'None.' : items.map((item) => `- ${item}`).join('\n')
}
