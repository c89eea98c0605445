import { limits } from '../limits.ts'
import { subjectOf } from '../run/subject.ts'
import { sentence } from '../sentence.ts'
import { capText, lastLines } from '../text.ts'
import { attemptLines } from './attempt-lines.ts'
import { hypothesesText } from './hypotheses-text.ts'
import type { StoryData } from './story.ts'
import { whyEnded, wordsAtEnd } from './why-ended.ts'

interface StuckFacts {
  /** The commit that keeps the story's change; null without a change. */
  readonly kept: string | null
  /** The reason why no snapshot has the final workspace. */
  readonly refused?: string | null
  /** The end of the last failure's log. */
  readonly tail?: string | null
}

/**
 * Everything a human needs to continue: the task, all hypotheses, the verification history and the
 * places of the artifacts. The report needs no model call.
 */
export function stuckReport(
  story: Pick<StoryData, 'task' | 'plans' | 'hypotheses' | 'attempts' | 'stop' | 'contextFiles' | 'contextPlace'>,
  { kept, refused = null, tail = null }: StuckFacts,
): string {
  const { task, plans, attempts, stop } = story
  const why = whyEnded(stop)
  const plan = plans.at(-1)
  const nonGoals = [...new Set([...task.non_goals, ...(plan?.non_goals ?? [])])]
  return [
    `# Stuck: ${subjectOf(task.text).split('\n')[0]}`,
    sentence`Why: ${why}.`,
    ...wordsAtEnd(stop),
    task.text.includes('\n') && `## Task\n${capText(task.text, limits.report.taskChars)}`,
    task.acceptance_criteria?.length && `## Acceptance criteria\n${list(task.acceptance_criteria)}`,
    `## Constraints\n${list(task.constraints)}`,
    `## Non-goals\n${list(nonGoals)}`,
    `## Hypotheses\n${hypothesesText(story, why)}`,
    `## Verifications\n${attemptLines(attempts)}`,
    tail && `## Last failure\n\`\`\`\n${lastLines(tail, 30)}\n\`\`\``,
    `## Last plan\n${plan ? `${plan.behaviour_change}\n${list(plan.slices)}` : 'None.'}`,
    contextLine(story),
    `## Work so far\n${kept === null ? 'Nothing was changed.' : `Kept as commit ${kept.slice(0, 12)} (\`drydock diff\` shows it); a retry continues from it.`}`,
    refused && `Later work is not in a snapshot (${refused}). It is in set-aside/ of the state.`,
  ]
    .filter(Boolean)
    .join('\n\n')
}

function contextLine({ contextFiles, contextPlace }: Pick<StoryData, 'contextFiles' | 'contextPlace'>): string | false {
  if (contextFiles === 0 || !contextPlace) return false
  const { folder, problem } = contextPlace
  const failed = problem === null ? '' : sentence` The newest one could not be written: ${problem}.`
  return `## Context files\n${contextFiles}, in \`${folder}/\` of the workspace. A retry finds them there.${failed}`
}

function list(items: readonly string[]): string {
  return items.length === 0 ? 'None.' : items.map((item) => `- ${item}`).join('\n')
}
