import { hasTool } from '../../agents/tools/offer-of.ts'
import { type ReadContext, refuse, type ToolOutcome, type Tree } from '../../agents/tools/tool.ts'
import { type Lane, writesTests } from '../../domain/lane/lane.ts'
import type { Request } from '../../domain/request/request.ts'
import type { Run } from '../../domain/run/run.ts'
import type { Story } from '../../domain/story/story.ts'
import type { MirrorReads } from '../../ports/history.ts'
import { readMessages } from '../chat/post-message.ts'
import type { WorkflowDependencies } from '../dependencies.ts'
import { skillBody } from '../guide/skill-body.ts'
import { readOutput } from '../lane/kept-output.ts'
import { type LaneContext, readArtifact } from '../lane/lane-context.ts'
import { load, requireStory } from '../machines.ts'
import { requestedCommits, storyDiff } from '../story/story-diff.ts'
import { insideMirror } from './architect-sandbox.ts'
import type { ArchitectDependencies } from './dependencies.ts'

interface About {
  readonly request: Request
  readonly story: Story
}

/**
 * The architect's tools read the run branch's tip, and during a request the workspace that the
 * request is about. All access is read-only.
 */
export async function architectContext(deps: ArchitectDependencies, lane: Lane, run: Run): Promise<LaneContext> {
  const written = writesTests(lane.data.role) ? await load(deps.store, 'acceptance', lane.data.parent) : null
  const about = lane.story === null || written !== null ? null : await aboutOf(deps, lane)
  const tip = written?.data.base ?? run.data.tip ?? run.data.base
  if (tip === null) throw new Error(`run ${run.id} has not started`)
  const has = hasTool(lane.data)
  return {
    facts: {
      coder_id: about === null ? '' : coderOf(about),
      sha: about?.request.data.sha ?? tip,
      run_id: about?.story.data.attempts.at(-1)?.runId ?? '',
    },
    // One sandbox serves the whole state, and stays open.
    openBeside: () => Promise.resolve(),
    readContext: (signal) =>
      Promise.resolve({
        signal,
        has,
        files: async (coder) => {
          if (coder === undefined) return { ok: true, files: (await mirrorOf(deps, signal)).committed(tip) }
          return workspaceOf(deps, { about, coder }, signal)
        },
        diff: async (of) => diffOf({ store: deps.store, history: await mirrorOf(deps, signal) }, about, of),
        artifact: (reference) => readArtifact(deps, about?.story ?? null, reference),
        output: (name) => readOutput(deps, lane, name),
        messages: () => readMessages(deps.store, lane),
        skill: (name) => skillBody(deps, run, { name, has }),
      }),
    editContext: () => Promise.reject(new Error(`${lane.id} only reads`)),
  }
}

/** Reads commits in the architect's sandbox, where workspaces are read as well. */
export async function mirrorOf(
  { architect, history }: Pick<ArchitectDependencies, 'architect' | 'history'>,
  signal: AbortSignal,
): Promise<MirrorReads> {
  const git = await architect.git(signal)
  return git === null ? history : history.inside(insideMirror, git)
}

async function aboutOf(deps: Pick<ArchitectDependencies, 'store'>, lane: Lane): Promise<About> {
  return { request: await load(deps.store, 'request', lane.data.parent), story: await requireStory(deps.store, lane) }
}

/**
 * The slot that a request is about. It is looked up at each call, since a waiting story may have
 * given up its slot; then its snapshot is read.
 */
function coderOf({ request, story }: About): string {
  return story.data.slot ?? request.data.coder
}

async function workspaceOf(
  deps: Pick<ArchitectDependencies, 'architect' | 'history'>,
  { about, coder }: { readonly about: About | null; readonly coder: string },
  signal: AbortSignal,
): Promise<Tree> {
  const outcome = refusal(about, coder)
  if (about === null || outcome !== null) return { ok: false, outcome: outcome ?? refuse('There is no request.') }
  const { slot } = about.story.data
  if (slot === null) {
    const mirror = await mirrorOf(deps, signal)
    return { ok: true, files: mirror.committed(about.request.data.sha) }
  }
  return { ok: true, files: await deps.architect.workspace(slot, signal) }
}

async function diffOf(
  deps: Pick<WorkflowDependencies, 'store'> & { readonly history: MirrorReads },
  about: About | null,
  { coderId = '', ...of }: Parameters<ReadContext['diff']>[0],
): Promise<ToolOutcome> {
  const outcome = refusal(about, coderId)
  if (about === null || outcome !== null) return outcome ?? refuse('There is no request.')
  const { story, request } = about
  return storyDiff(deps, { ...of, story, to: request.data.sha, requested: await requestedCommits(deps.store, story) })
}

/** The reason why a workspace may not be read; null if it may. */
function refusal(about: About | null, coder: string): ToolOutcome | null {
  if (about === null) return refuse('There is no request here, so you can read no workspace. Leave coder_id out.')
  const own = coderOf(about)
  return coder === own ? null : refuse(`This request is not about ${coder}. You can read only ${own}.`)
}
