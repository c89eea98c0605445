import type { StoryData } from './story.ts'
import { lastLines } from './text.ts'

const reasons = {
  hard_stop: 'the verifier failed 12 times without a PASS',
  iteration_limit: 'the editor reached its iteration limit without handing in its work',
  context_overflow: 'the conversation no longer fits the model; a retry starts a fresh one',
  malformed: 'the model of the editor made the same unusable call five times in a row',
  identical_calls: 'the editor made the same call with the same result five times in a row',
  no_progress: 'the editor went on without progress: no new change, no other failing test, no finding settled',
  rejected: 'the architect rejected it',
} as const

/**
 * What a human needs to go on: all hypotheses, the verification history and where the artifacts are. No model is asked for it. `refused` says why the
 * workspace, as it is at the end, is in no snapshot; `tail` is the end of the last failure's log.
 */
export function stuckReport(
  story: Pick<StoryData, 'task' | 'plans' | 'hypotheses' | 'attempts' | 'snapshot' | 'stop'>,
  { refused = null, tail = null }: { readonly refused?: string | null; readonly tail?: string | null } = {},
): string {
  const { task, plans, hypotheses, attempts, snapshot, stop } = story
  const why =
    stop === null
      ? 'unknown'
      : 'infra' in stop
        ? `infrastructure: ${stop.infra.errorType}: ${stop.infra.errorMessage}`
        : [reasons[stop.reason], stop.last].filter(Boolean).join('; ')
  const plan = plans.at(-1)
  const history = attempts.map(
    ({ runId, status, sha }, i) =>
      `${i + 1}. ${runId}: ${status} at ${sha.slice(0, 12)} (artifacts/runs/${runId}; \`drydock log ${runId}\`)`,
  )
  return [
    `# Stuck: ${task.text.split('\n')[0]}`,
    `Why: ${why}.`,
    `## Hypotheses\n${list([...new Set(hypotheses)])}`,
    `## Verifications\n${history.length === 0 ? 'None.' : history.join('\n')}`,
    tail && `## Last failure\n\`\`\`\n${lastLines(tail, 30)}\n\`\`\``,
    `## Last plan\n${plan ? `${plan.behaviour_change}\n${list(plan.slices)}` : 'None.'}`,
    `## Work so far\n${snapshot === null ? 'None.' : `Kept as commit ${snapshot.sha.slice(0, 12)} (\`drydock diff\` shows it); a retry goes on from it.`}`,
    refused && `What came after it is in no snapshot (${refused}) and lies in set-aside/ of the state.`,
  ]
    .filter(Boolean)
    .join('\n\n')
}

function list(items: readonly string[]): string {
  return items.length === 0 ? 'None.' : items.map((item) => `- ${item}`).join('\n')
}
