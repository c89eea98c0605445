import type { InputOf } from '../../agents/tools/handed-over.ts'
import { claimText } from '../../domain/claim.ts'
import type { Lane } from '../../domain/lane/lane.ts'
import { limits } from '../../domain/limits.ts'
import { withAnswers } from '../../domain/remark/remark-findings.ts'
import { acceptsNoChange, type Run } from '../../domain/run/run.ts'
import { summarize } from '../../domain/story/change-summary.ts'
import { isHypothesisDue, noHypothesis } from '../../domain/story/hypothesis-due.ts'
import { type Attempt, type Change, claimOf, type Story, type StoryData } from '../../domain/story/story.ts'
import type { WorkflowDependencies } from '../dependencies.ts'
import { type Decision, keptFile, type LaneCall } from '../lane/decision.ts'
import type { RequestDependencies } from '../lane/dependencies.ts'
import { isRefusedBefore, refuseCall } from '../lane/refuse-call.ts'
import { requireStory } from '../machines.ts'
import type { StoryDependencies } from '../story/dependencies.ts'
import { snapshotStory } from '../story/snapshot.ts'
import { isLossUnheard } from '../story/tell-moved.ts'
import { verificationOf } from '../verification/asked-again.ts'
import { knownVerdict, nothingChanged, verdictKey } from '../verification/known-verdict.ts'
import { judge } from '../verification/run-verification.ts'
import { hypothesisMissing } from './hypothesis-missing.ts'
import { prepareMilestone } from './milestone.ts'
import { notesOf } from './notes-of.ts'

/** Handles `submit_change`: snapshots the change, and has it verified. */
export async function acceptChange(
  deps: RequestDependencies,
  asked: LaneCall<'submit_change'>,
  signal: AbortSignal,
): Promise<Decision> {
  const { summary, hypothesis, next_slice, remarks = [] } = asked.input
  const change = {
    summary,
    nextSlice: next_slice ?? null,
    hypothesis: hypothesis ?? null,
    ...(asked.lane.data.isCalledFor && { isHandedInFor: true as const }),
  }
  return take(deps, { ...asked, change, remarks }, signal)
}

/**
 * Handles `no_change`: the base is verified, so that people know the state of the code that stays.
 */
export async function acceptNoChange(
  deps: RequestDependencies,
  asked: LaneCall<'no_change'>,
  signal: AbortSignal,
): Promise<Decision> {
  const claim = asked.input
  return take(deps, { ...asked, change: { summary: claimText(claim), nextSlice: null, claim } }, signal)
}

interface Taking {
  readonly run: Run
  readonly lane: Lane
  readonly change: Change
  /** The editor's answers to people's remarks. */
  readonly remarks?: NonNullable<InputOf<'submit_change'>['remarks']>
}

/**
 * Snapshots the change and hands that commit to the verifier; a dry run ends with its diff instead.
 */
async function take(
  deps: RequestDependencies,
  { run, lane: asking, change, remarks = [] }: Taking,
  signal: AbortSignal,
): Promise<Decision> {
  const story = await requireStory(deps.store, asking)
  if (isLossUnheard(asking, story))
    return [{ type: 'answer_lane', answer: { lane: asking.id, output: lostMeanwhile, ok: false } }]
  const refuse = (output: string) => refuseCall(deps, { run, lane: asking, output }, signal)
  const { claim } = change
  const isWanting = claim === undefined && !change.hypothesis && isHypothesisDue('change', story.data)
  const missing = hypothesisMissing('change')
  // A missing hypothesis is refused only once: the verdict does not depend on it.
  const isDemanded = !asking.data.isCalledFor && asking.data.agent === undefined
  if (isWanting && isDemanded && !isRefusedBefore(asking, missing)) return refuse(missing)
  const hypothesis = isWanting && isDemanded ? noHypothesis : change.hypothesis
  const snapshot = await snapshotStory(deps, story, signal, { why: 'a change was handed in' })
  if (!snapshot.ok) return refuse(`The change is refused: ${snapshot.reason}`)
  const unresolved = await unresolvedConflicts(deps, story, snapshot.snapshot.sha)
  if (unresolved.length > 0) {
    return refuse(
      `The change is refused: conflict markers (<<<<<<<, >>>>>>>) are left in ${unresolved.join(', ')}. Resolve them, then hand it in again.`,
    )
  }
  const hypotheses = [...story.data.hypotheses, ...(hypothesis ? [hypothesis] : [])]
  const { reviews } = story.data
  const code = { ...reviews.code, findings: withAnswers(reviews.code.findings, remarks) }
  const data: StoryData = { ...story.data, ...snapshot.data, hypotheses, change, reviews: { ...reviews, code } }
  if (claim !== undefined && !(await isUnchanged(deps, data))) return refuse(await refusal(deps, data))
  if (story.data.dryRun) return preview(deps, { run, story, data, change }, signal)
  const tree = data.snapshot?.tree ?? (await deps.history.tree(data.base))
  const known = knownVerdict(data, {
    key: verdictKey({ tree, base: data.base, run, data }),
    isSlice: change.nextSlice !== null,
  })
  if (known !== null) return answerKnown(deps, { run, lane: asking.id, story: { ...story, data }, known }, signal)

  const changed = (await isUnchanged(deps, data)) ? null : tree
  const verification = await verificationOf(deps, { ...story, data }, changed)
  return [{ type: 'advance_story', story, move: { event: 'change_submitted', data, verification } }]
}

interface KnownTree {
  readonly run: Run
  readonly lane: string
  /** The story with the submitted change stored in it. */
  readonly story: Story
  readonly known: Attempt
}

/**
 * Answers for a tree that already has its verdict, without verifying it again. A PASS of the whole
 * change has its usual consequences, and so has the end of a task whose editor says that no change
 * is needed.
 */
async function answerKnown(
  deps: StoryDependencies,
  { run, lane, story, known }: KnownTree,
  signal: AbortSignal,
): Promise<Decision> {
  const { change } = story.data
  const isWhole = known.status === 'PASS' && change?.nextSlice === null
  const isEnd = change?.claim !== undefined && run.data.policy.reviewer === null
  const row = isWhole || isEnd ? await deps.store.verification(known.runId) : null
  if (row === null) {
    const output = `${nothingChanged(known)} Change something, then hand it in.`
    return [{ type: 'answer_lane', answer: { lane, output, ok: false } }]
  }
  const { status, tailLog, manifest } = row
  const response = { status, run_id: known.runId, tail_log: tailLog, artifact_paths: null, manifest }
  const { move, file } = await judge(deps, { run, story, sha: known.sha, response, known }, signal)
  return [...keptFile(file), { type: 'submit_known', story, move }]
}

/** The lane's next request brings the message with the details. */
const lostMeanwhile =
  'The change is not handed in: the machine of your workspace is gone, and what was not kept with it. Look at the files, then hand it in again.'

/** True if the last snapshot equals the commit that the story started from. */
async function isUnchanged({ history }: Pick<WorkflowDependencies, 'history'>, data: StoryData): Promise<boolean> {
  return data.snapshot === null || data.snapshot.tree === (await history.tree(data.base))
}

async function refusal(
  { history }: Pick<WorkflowDependencies, 'history'>,
  { base, snapshot }: StoryData,
): Promise<string> {
  const files = snapshot === null ? [] : await history.changedFiles(base, snapshot.sha)
  const some = files.slice(0, limits.eventPaths).map(({ path }) => path)
  return `Files differ from the base commit: ${some.join(', ')}. Hand them in with submit_change, or undo them all first.`
}

/**
 * Refuses a returned merge while it has unresolved conflicts, since verifying it would be
 * pointless.
 */
async function unresolvedConflicts(
  { history }: Pick<WorkflowDependencies, 'history'>,
  { data: { merging } }: Story,
  sha: string,
): Promise<readonly string[]> {
  return merging === null ? [] : history.conflictMarkers(sha, merging.conflicts)
}

interface SubmittedChange {
  readonly run: Run
  readonly story: Story
  readonly data: StoryData
  readonly change: Change
}

async function preview(
  deps: StoryDependencies,
  { run, story, data, change }: SubmittedChange,
  signal: AbortSignal,
): Promise<Decision> {
  const { data: kept, file } = await prepareMilestone(deps, { run, story, milestone: 'success', data }, signal)
  const files = kept.snapshot ? await deps.history.changedFiles(kept.base, kept.snapshot.sha) : []
  const unchanged = await isUnchanged(deps, kept)
  const claim = claimOf({ change, unchanged })
  const summary = summarize({
    said: claim === null ? change.summary : claimText(claim),
    notes: await notesOf(deps.store, story, change),
    plan: kept.plans.at(-1) ?? null,
    files,
    manifest: null,
    findings: [],
  })
  const event = unchanged && !acceptsNoChange(run) ? 'nothing_previewed' : 'change_previewed'
  const move = { event, data: { ...kept, summary, unchanged } } as const
  return [
    { type: 'keep_file', file },
    { type: 'advance_story', story, move },
  ]
}
