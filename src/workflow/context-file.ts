import type { Json } from '../domain/json.ts'
import type { ScoutKind } from '../domain/scout-report.ts'
import type { StoryData } from '../domain/story.ts'
import type { ContextFile } from '../ports/store.ts'
import type { WorkflowDependencies } from './dependencies.ts'
import { agentSpec } from './sandboxes.ts'

export type Milestone = 'scout report' | 'plan' | 'replan' | 'success' | 'stuck'

export interface ContextInput {
  readonly run: string
  readonly story: string
  readonly milestone: Milestone
  readonly data: StoryData
  readonly files: readonly { readonly path: string; readonly status: string }[]
  readonly report?: { readonly scout: ScoutKind; readonly question: string; readonly payload: Json }
  readonly readOnlyPaths: readonly string[]
}

type Deps = Pick<WorkflowDependencies, 'sandbox' | 'workspaces' | 'clock'>

/**
 * Writes `agent/context_<n>.md` and points `agent/context_latest.md` to it (seed: coding-agent-workflow, section 3). The write happens inside a
 * sandbox, since the workspace is the agent's and may hold links; where that fails the records still have it.
 */
export async function writeContextFile(deps: Deps, input: ContextInput, signal: AbortSignal): Promise<ContextFile> {
  const { run, story, milestone, data, readOnlyPaths } = input
  const file = { run, story, n: data.contextFiles + 1, milestone, content: contextText(input, deps.clock.now()) }
  // A story whose workspace was given up gets it with the next one.
  if (data.slot !== null) await placeContextFile(deps, { file, slot: data.slot, readOnlyPaths }, signal)
  return file
}

interface Placing {
  readonly file: ContextFile
  readonly slot: string
  readonly readOnlyPaths: readonly string[]
}

/** Puts a context file where its story's editor finds it, as the newest. */
export async function placeContextFile(
  deps: Pick<Deps, 'sandbox' | 'workspaces'>,
  { file, slot, readOnlyPaths }: Placing,
  signal: AbortSignal,
): Promise<void> {
  const name = `context_${String(file.n).padStart(3, '0')}.md`
  const spec = agentSpec({ folder: deps.workspaces.path(slot), access: 'write', readOnlyPaths })
  const command = `mkdir -p agent && rm -f agent/${name} && cat > agent/${name} && ln -sfn ${name} agent/context_latest.md`
  await deps.sandbox.exec(spec, { command, timeoutMs: 10_000, stdin: file.content }, signal)
}

function contextText({ milestone, data, files, report }: ContextInput, at: Date): string {
  const plan = data.plans.at(-1)
  const attempts = data.attempts.map(({ runId, status }, i) => `${i + 1}. ${runId}: ${status}`)
  return `${[
    `# Context: ${milestone}`,
    `Timestamp: ${at.toISOString()}\nMilestone: ${milestone}`,
    report && `## Scout report (${report.scout})\nQuestion: ${report.question}\n${fenced(report.payload)}`,
    `## Plan\n${plan ? fenced(plan as unknown as Json) : 'None yet.'}`,
    `## Hypothesis\n${data.hypotheses.at(-1) ?? 'None yet.'}`,
    `## Files changed\n${files.length === 0 ? 'None.' : files.map(({ path, status }) => `- ${path} (${status})`).join('\n')}`,
    `## Attempts\n${attempts.length === 0 ? 'None yet.' : attempts.join('\n')}`,
  ]
    .filter(Boolean)
    .join('\n\n')}\n`
}

function fenced(value: Json): string {
  return `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``
}
