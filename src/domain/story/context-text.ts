import type { Json } from '../json.ts'
import { limits } from '../limits.ts'
import { fewNames } from '../name-list.ts'
import { scoutFindings } from '../scout/scout-findings.ts'
import type { GivenReport } from '../scout/scout-report.ts'
import { capText } from '../text.ts'
import { attemptLines } from './attempt-lines.ts'
import { hypothesesText } from './hypotheses-text.ts'
import type { StoryData } from './story.ts'

export type Milestone = 'scout report' | 'plan' | 'replan' | 'success' | 'stuck'

export interface ContextFacts {
  readonly milestone: Milestone
  readonly at: Date
  readonly data: Pick<StoryData, 'task' | 'plans' | 'hypotheses' | 'attempts'>
  /** All answers of the story's scouts so far, in order. */
  readonly reports: readonly GivenReport[]
  readonly files: readonly { readonly path: string; readonly status: string }[]
}

/**
 * A context file: everything that is known about a story at a milestone (seed:
 * coding-agent-workflow, sections 3 and 4).
 */
export function contextText({ milestone, at, data, reports, files }: ContextFacts): string {
  const { task, plans, attempts } = data
  const plan = plans.at(-1)
  const found = scoutFindings(reports)
  const targets = [...(plan?.files ?? []), ...(plan?.tests ?? []), ...task.files, ...found.targetFiles]
  return `${[
    `# Context: ${milestone}`,
    `Timestamp: ${at.toISOString()}\nMilestone: ${milestone}`,
    `## Task\n${capText(task.text, limits.report.taskChars)}`,
    `## Acceptance criteria\n${list([...(task.acceptance_criteria ?? []), ...(plan?.acceptance_criteria ?? [])])}`,
    `## Constraints\n${list([...task.constraints, ...found.constraints])}`,
    `## Non-goals\n${list([...task.non_goals, ...(plan?.non_goals ?? [])])}`,
    `## Repo map\n${list(found.repoMap)}`,
    `## Target files\n${list(targets)}`,
    `## APIs\n${list(found.apis)}`,
    `## Prior art\n${list(found.priorArt)}`,
    `## Verification tips\n${list(found.verificationTips)}`,
    `## Hypotheses\n${hypothesesText(data, null)}`,
    `## Plan\n${plan ? fenced(plan as unknown as Json) : 'None yet.'}`,
    `## Files changed\n${list(fewNames(files.map(({ path, status }) => `${path} (${status})`)))}`,
    `## Attempts\n${attempts.length === 0 ? 'None yet.' : attemptLines(attempts)}`,
    `## Scout reports\n${reportSections(reports)}`,
  ].join('\n\n')}\n`
}

/**
 * Reports as submitted, the newest whole; older ones only as far as there is room, since an earlier
 * file has them.
 */
function reportSections(reports: readonly GivenReport[]): string {
  if (reports.length === 0) return 'None yet.'
  let room: number = limits.report.payloadChars
  const sections = reports.toReversed().map(({ scout, question, payload }, i) => {
    const text = fenced(payload)
    room -= text.length
    const shown = i === 0 || room >= 0 ? text : 'Left out for its length. An earlier context file has it.'
    return `### Scout report (${scout})\nQuestion: ${question}\n${shown}`
  })
  return sections.toReversed().join('\n\n')
}

function list(items: readonly string[]): string {
  const each = [...new Set(items)]
  return each.length === 0 ? 'None known.' : each.map((item) => `- ${item}`).join('\n')
}

function fenced(value: Json): string {
  return `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``
}
