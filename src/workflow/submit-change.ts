import type { Lane } from '../agents/lane.ts'
import { changeInput } from '../agents/tools/submit-change.ts'
import { summarize } from '../domain/change-summary.ts'
import { commitMessage } from '../domain/commit-message.ts'
import type { Run } from '../domain/run.ts'
import { type Change, type Story, type StoryData, slotOf } from '../domain/story.ts'
import { verificationId } from '../domain/verification.ts'
import { advanceStory } from './advance-story.ts'
import { answerLane } from './answer-lane.ts'
import type { WorkflowDependencies } from './dependencies.ts'
import type { Follow } from './follow.ts'
import { requireStory } from './machines.ts'
import { prepareMilestone } from './milestone.ts'
import { snapshotStory } from './snapshot.ts'

/** A change is snapshotted and its exact commit handed to the verifier; a dry run ends with its diff instead. */
export async function acceptChange(
  deps: WorkflowDependencies,
  { run, lane: asking, input }: { readonly run: Run; readonly lane: Lane; readonly input: unknown },
  signal: AbortSignal,
): Promise<Follow> {
  const { summary, hypothesis, next_slice } = changeInput.parse(input)
  const story = await requireStory(deps.store, asking)
  const snapshot = await snapshotStory(deps, story, signal, { why: 'a change was handed in' })
  if (!snapshot.ok) {
    const output = `The change cannot be taken: ${snapshot.reason}`
    return (tx, lane) => answerLane(tx, deps.clock, { lane: lane.id, output, ok: false })
  }
  const unresolved = await unresolvedConflicts(deps, story, snapshot.snapshot.sha)
  if (unresolved.length > 0) {
    const output = `The change cannot be taken: lines of conflict markers (<<<<<<<, >>>>>>>) are left in ${unresolved.join(', ')}. Resolve them, then hand it in again.`
    return (tx, lane) => answerLane(tx, deps.clock, { lane: lane.id, output, ok: false })
  }
  const change: Change = { summary, nextSlice: next_slice ?? null }
  const hypotheses = [...story.data.hypotheses, ...(hypothesis ? [hypothesis] : [])]
  const data: StoryData = { ...story.data, ...snapshot.data, hypotheses, change }
  if (story.data.dryRun) return preview(deps, { run, story, data, change }, signal)

  const at = deps.clock.now()
  const runId = verificationId(at, deps.clock.random())
  const commit = await commitChange(deps, { story, data, runId, at })
  const requestedAt = at.toISOString()
  const verification = { runId, commit, base: data.base, checkout: slotOf(story), requestedAt, merge: null }
  return async (tx) => {
    await advanceStory(tx, deps, story, { event: 'change_submitted', data, verification })
  }
}

/** Of a merge that was sent back: nothing of it is verified while it is not resolved. */
async function unresolvedConflicts(
  { workspaces }: Pick<WorkflowDependencies, 'workspaces'>,
  { data: { merging } }: Story,
  sha: string,
): Promise<readonly string[]> {
  return merging === null ? [] : workspaces.conflictMarkers(sha, merging.conflicts)
}

interface Submitted {
  readonly run: Run
  readonly story: Story
  readonly data: StoryData
  readonly change: Change
}

async function preview(
  deps: WorkflowDependencies,
  { run, story, data, change }: Submitted,
  signal: AbortSignal,
): Promise<Follow> {
  const { data: kept, file } = await prepareMilestone(deps, { run, story, milestone: 'success', data }, signal)
  const files = kept.snapshot ? await deps.workspaces.changedFiles(kept.base, kept.snapshot.sha) : []
  const summary = summarize({
    said: change.summary,
    plan: kept.plans.at(-1) ?? null,
    files,
    manifest: null,
    findings: [],
  })
  return async (tx) => {
    await tx.insertContextFile(file)
    await advanceStory(tx, deps, story, { event: 'change_previewed', data: { ...kept, summary } })
  }
}

interface Committing {
  readonly story: Story
  readonly data: StoryData
  readonly runId: string
  readonly at: Date
}

/** The very commit that is verified and, when green, landed; the base itself when nothing was changed. */
async function commitChange(deps: WorkflowDependencies, { story, data, runId, at }: Committing): Promise<string> {
  const tree = data.snapshot?.tree
  if (tree === undefined || tree === (await deps.workspaces.tree(data.base))) return data.base
  const own = { 'Drydock-Story': story.id, 'Verified-By': runId }
  return deps.workspaces.commit({
    tree,
    parents: data.merging === null ? [data.base] : [data.base, data.merging.candidate],
    message: commitMessage({ summary: data.change?.summary ?? '', own, added: deps.trailers }),
    author: await deps.workspaces.author(),
    ref: `refs/drydock/candidates/${story.id}/${runId}`,
    at,
  })
}
