import type { LaneDependencies } from '../../agents/lane.ts'
import { hasTool } from '../../agents/tools/offer-of.ts'
import { done, refuse, type ToolContext, type ToolOutcome } from '../../agents/tools/tool.ts'
import type { Lane } from '../../domain/lane/lane.ts'
import { limits } from '../../domain/limits.ts'
import type { Run } from '../../domain/run/run.ts'
import type { Story } from '../../domain/story/story.ts'
import { readMessages } from '../chat/post-message.ts'
import type { WorkflowDependencies } from '../dependencies.ts'
import { skillBody } from '../guide/skill-body.ts'
import { storyOf } from '../machines.ts'
import type { StoryDependencies } from '../story/dependencies.ts'
import { snapshotStory } from '../story/snapshot.ts'
import { requestedCommits, storyDiff } from '../story/story-diff.ts'
import type { ContextDependencies } from './dependencies.ts'
import { callName, keepOutput, readOutput } from './kept-output.ts'
import { sessionFiles } from './session-files.ts'

/** The targets of a lane's calls, with the facts about them that replay files record. */
export type LaneContext = Pick<LaneDependencies, 'facts' | 'readContext' | 'editContext'> & {
  /** Opens the sandbox for the next calls while the model answers. */
  readonly openBeside: () => Promise<void>
}

/**
 * The tools of editors and scouts work only on the workspace of their own story, or on the checkout
 * of a Run that only asks.
 */
export async function toolContext(deps: ContextDependencies, lane: Lane, run: Run): Promise<LaneContext> {
  const story = await storyOf(deps.store, lane)
  const slot = story?.data.slot ?? run.data.slot
  if (slot === null) throw new Error(`run ${run.id} has no slot`)
  const attempt = story?.data.attempts.at(-1)
  const sha = story?.data.snapshot?.sha ?? run.data.base ?? ''
  const { config, base } = run.data
  if (config === null || base === null) throw new Error(`run ${run.id} has not started`)
  const isCoding = lane.data.role === 'editor_coding'
  const { services = [] } = config
  const { readOnlyPaths } = config.sandbox
  const wanted = { config, base, commit: attempt?.sha ?? story?.data.base ?? base }
  const workspace = { folder: deps.workTrees.path(slot), history: deps.workTrees.history(slot) }
  const access = isCoding ? 'write' : 'read'
  const has = hasTool(lane.data)
  const open = async (signal: AbortSignal): Promise<ToolContext> => {
    const parts = await deps.parts.of(wanted, signal)
    const session = await deps.sandboxes.session(
      { ...workspace, access, readOnlyPaths, services, parts, lane: lane.id },
      signal,
    )
    return {
      session,
      signal,
      has,
      files: () => Promise.resolve({ ok: true, files: sessionFiles(session) }),
      ignored: (paths) => deps.workTrees.ignored(slot, paths),
      diff: (of) => (story ? diffOfNow(deps, { story, ...of }, signal) : Promise.resolve(refuse('There is no story.'))),
      artifact: (reference) => readArtifact(deps, story, reference),
      output: (name) => readOutput(deps, lane, name),
      callName: callName(lane),
      keepOutput: (text) => keepOutput(deps, lane, text),
      messages: () => readMessages(deps.store, lane),
      skill: (name) => skillBody(deps, run, { name, has }),
    }
  }
  return {
    facts: { coder_id: slot, sha, run_id: attempt?.runId ?? '' },
    readContext: open,
    editContext: open,
    async openBeside() {
      // A plan review takes so long that an open sandbox would be wasted.
      if (!isCoding && (lane.data.role !== 'editor_planning' || lane.data.reviewed)) return
      const late = AbortSignal.timeout(limits.sandboxOpenMs)
      const parts = await deps.parts.of(wanted, late)
      // The workspace may belong to another story by now; then nothing may read it.
      if ((await storyOf(deps.store, lane))?.data.slot !== slot) return
      await deps.sandboxes.session(
        { ...workspace, access: 'write', readOnlyPaths, services, parts, lane: lane.id },
        late,
      )
    },
  }
}

interface DiffRequest {
  readonly story: Story
  readonly path?: string | undefined
  readonly base?: string | undefined
}

async function diffOfNow(
  deps: StoryDependencies,
  { story, path, base }: DiffRequest,
  signal: AbortSignal,
): Promise<ToolOutcome> {
  const result = await snapshotStory(deps, story, signal, { why: 'the editor looked at its diff' })
  if (!result.ok) return refuse(result.reason)
  const requested = await requestedCommits(deps.store, story)
  return storyDiff(deps, { story, path, base, to: result.snapshot.sha, requested })
}

/** Reads the log of a verification of this story, and no other file of ARTIFACT_DIR. */
export async function readArtifact(
  deps: Pick<WorkflowDependencies, 'artifacts'>,
  story: Story | null,
  reference: string,
): Promise<ToolOutcome> {
  const [, runId = '', path = ''] = /^(run_\w+)\/logs\/([\w./-]+)$/.exec(reference) ?? []
  const runs = story === null ? [] : [...story.data.attempts, story.data.merging]
  const known = runs.some((attempt) => attempt?.runId === runId)
  if (!known) return refuse(`artifact:${reference} is not a log of this story: artifact:<run_id>/logs/<name>`)
  const log = await deps.artifacts.readLog(runId, path, limits.fileBytes)
  return log.ok ? done(log.text) : refuse(`artifact:${reference} ${log.reason}`)
}
