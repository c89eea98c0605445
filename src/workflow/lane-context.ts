import type { Lane } from '../agents/lane.ts'
import { done, refuse, type ToolContext, type ToolOutcome } from '../agents/tools/tool.ts'
import { limits } from '../domain/limits.ts'
import type { Run } from '../domain/run.ts'
import type { Story } from '../domain/story.ts'
import type { WorkflowDependencies } from './dependencies.ts'
import { insideRepository } from './inside.ts'
import { storyOf } from './machines.ts'
import { snapshotStory } from './snapshot.ts'

interface LaneContext {
  readonly facts: Readonly<Record<string, string>>
  readonly context: (signal: AbortSignal) => Promise<ToolContext>
}

/** What a lane's tools work on: only the workspace of its own story, or the checkout of a Run that just asks. */
export async function toolContext(deps: WorkflowDependencies, lane: Lane, run: Run): Promise<LaneContext> {
  const story = await storyOf(deps.store, run.id)
  const slot = story?.data.slot ?? run.data.slot
  if (slot === null) throw new Error(`run ${run.id} has no slot`)
  const attempt = story?.data.attempts.at(-1)
  const sha = story?.data.snapshot?.sha ?? run.data.base ?? ''
  const access = lane.data.role === 'coder' ? 'write' : 'read'
  const { config, base } = run.data
  if (config === null || base === null) throw new Error(`run ${run.id} has not started`)
  const { readOnlyPaths } = config.sandbox
  const wanted = { config, base, commit: attempt?.sha ?? base }
  const folder = deps.workspaces.path(slot)
  return {
    facts: { coder_id: slot, sha, run_id: attempt?.runId ?? '' },
    context: async (signal) => ({
      session: await deps.sandboxes.session(
        { folder, access, readOnlyPaths, parts: await deps.parts.of(wanted, signal) },
        signal,
      ),
      signal,
      ignored: (paths) => deps.workspaces.ignored(slot, paths),
      diff: (of) => (story ? storyDiff(deps, { story, ...of }, signal) : Promise.resolve(refuse('There is no story.'))),
      artifact: (reference) => readArtifact(deps, story, reference),
    }),
  }
}

interface DiffRequest {
  readonly story: Story
  readonly path?: string | undefined
  readonly base?: string | undefined
}

async function storyDiff(
  deps: WorkflowDependencies,
  { story, path, base }: DiffRequest,
  signal: AbortSignal,
): Promise<ToolOutcome> {
  const result = await snapshotStory(deps, story, signal)
  if (!result.ok) return refuse(result.reason)
  const from = earlierCommit(story, base)
  if (from === null) return refuse(`${base} is not an earlier commit of this work`)
  const to = result.snapshot.sha
  const diff = await deps.workspaces.diff({
    from,
    to,
    maxBytes: limits.toolResultChars - limits.toolResultFrame,
    ...(path !== undefined && { path: relativeToRepository(path) }),
  })
  const text = diff.text === '' ? '(no change)' : diff.text
  return done(`base ${from}\nsnapshot ${to}\ntruncated ${diff.truncated}\n${text}`)
}

/** The story's base, or the one of its commits that `wanted` names: what was verified before, and its last snapshot. */
function earlierCommit({ data }: Story, wanted: string | undefined): string | null {
  if (wanted === undefined) return data.base
  const commits = [data.base, ...data.attempts.map(({ sha }) => sha), ...(data.snapshot ? [data.snapshot.sha] : [])]
  return commits.find((sha) => sha.startsWith(wanted)) ?? null
}

/** Agents see the workspace where every sandbox shows the repository, as `pwd` says it. */
function relativeToRepository(path: string): string {
  return path.startsWith(`${insideRepository}/`) ? path.slice(insideRepository.length + 1) : path
}

/** A log of a verification of this story: nothing else of ARTIFACT_DIR. */
async function readArtifact(deps: WorkflowDependencies, story: Story | null, reference: string): Promise<ToolOutcome> {
  const [, runId = '', path = ''] = /^(run_\w+)\/logs\/([\w./-]+)$/.exec(reference) ?? []
  const known = story?.data.attempts.some((attempt) => attempt.runId === runId)
  if (!known) return refuse(`artifact:${reference} is not a log of this story: artifact:<run_id>/logs/<name>`)
  const log = await deps.artifacts.readLog(runId, path, limits.fileBytes)
  return log.ok ? done(log.text) : refuse(`artifact:${reference} ${log.reason}`)
}
