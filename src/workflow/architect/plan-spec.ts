import type { GuideTexts } from '../../agents/prompts/guide-section.ts'
import { acceptanceCost } from '../../domain/acceptance/acceptance-cost.ts'
import type { Json } from '../../domain/json.ts'
import type { Lane } from '../../domain/lane/lane.ts'
import { softAndHard } from '../../domain/lane/next-request.ts'
import { limits } from '../../domain/limits.ts'
import { repositoriesOf } from '../../domain/run/repositories.ts'
import type { Run, SpecRequest } from '../../domain/run/run.ts'
import { problemsOf } from '../../domain/story/plan-problems.ts'
import { describeStories, inOwnRepository, type PlannedStory } from '../../domain/story/planned-story.ts'
import type { Records, Transaction } from '../../ports/store.ts'
import { askHuman } from '../chat/ask-human.ts'
import { escalateRun } from '../chat/escalate-lane.ts'
import type { WorkflowDependencies } from '../dependencies.ts'
import { answerLane } from '../lane/answer-lane.ts'
import type { Acts, Decision, LaneCall } from '../lane/decision.ts'
import { laneId, openLane } from '../lane/open-lane.ts'
import { refuseCall } from '../lane/refuse-call.ts'
import { load } from '../machines.ts'
import { moveRun, type RunMove } from '../run/move-run.ts'
import type { StoryDependencies } from '../story/dependencies.ts'
import { scopingPrompt, storiesPrompt } from './prompts/scoping.ts'

/** The lane in which the architect interviews the user. */
export const interviewLane = 'architect/INTERVIEW'
const scopingLane = 'architect/SCOPING'
const storiesLane = 'architect/STORY_GENERATION'

/**
 * The lane in which the architect works, or last worked, on the spec itself; null if a human
 * brought the stories.
 */
export async function specLane(records: Records, run: Run): Promise<Lane | null> {
  const keys = run.data.request.kind === 'interview' ? [interviewLane] : [storiesLane, scopingLane]
  for (const key of keys) {
    const lane = await records.machineOf('lane', laneId(run.id, key))
    if (lane !== null) return lane
  }
  return null
}

function specOf(run: Run): SpecRequest {
  const { request } = run.data
  if (request.kind !== 'spec') throw new Error(`run ${run.id} has no spec`)
  return request
}

/** SCOPING: the architect reads the repository before it splits the spec into stories. */
export async function openScoping(tx: Transaction, run: Run, guide: GuideTexts | null): Promise<void> {
  const { base, config } = pinned(run)
  await openLane(tx, {
    run: run.id,
    story: null,
    key: scopingLane,
    parent: run.id,
    role: 'architect_scoping',
    limits: softAndHard(config.scoping),
    prompt: () => scopingPrompt({ spec: specOf(run).spec, base, guide, repositories: repositoriesOf(run) }),
  })
}

/** Passes the architect's findings to a fresh lane: STORY_GENERATION. */
export async function acceptScoping(
  deps: Pick<WorkflowDependencies, 'guides' | 'slots'>,
  { run, lane, input }: LaneCall<'submit_reply'>,
): Promise<Decision> {
  const guide = await deps.guides.of(pinned(run).base)
  return [
    { type: 'end_lane', lane: lane.id },
    { type: 'open_stories', run: run.id, scoping: input.response, guide, maxCoders: deps.slots.length },
  ]
}

/** Starts STORY_GENERATION. */
export async function openStories(
  tx: Transaction,
  { run: id, scoping, guide, maxCoders }: Acts['open_stories'],
): Promise<void> {
  const run = await moveRun(tx, await load(tx, 'run', id), { event: 'scoped', data: { scoping }, next: 'rest' })
  const { spec } = specOf(run)
  await openLane(tx, {
    run: id,
    story: null,
    key: storiesLane,
    parent: id,
    role: 'architect_stories',
    limits: softAndHard(pinned(run).config.scoping),
    prompt: () => storiesPrompt({ spec, scoping, guide, maxCoders, repositories: repositoriesOf(run) }),
  })
}

/**
 * Ends the Run, since only its user can clarify the spec. If the user wants the spec built as it
 * is, the Run continues.
 */
export async function refuseVague(
  deps: StoryDependencies,
  { run, lane, input }: LaneCall<'too_vague'>,
  signal: AbortSignal,
): Promise<Decision> {
  const { asIs, spec } = specOf(run)
  if (asIs) {
    const output = 'The user wants it built as it is. Decide what is open, and call `submit_reply`.'
    return refuseCall(deps, { run, lane, output }, signal)
  }
  const { text, source } = spec
  const answer = { ...input, source, text: source === 'text' ? text : null }
  return [
    { type: 'end_lane', lane: lane.id },
    { type: 'end_run', run: run.id, event: 'too_vague', data: { answer } },
  ]
}

/**
 * Builds the stories, shows them, or asks a human to approve them first. A set that cannot be built
 * is refused; after too many refusals a human is asked.
 */
export function acceptStories({ run, lane, input }: LaneCall<'submit_stories'>): Decision {
  const repositories = repositoriesOf(run)
  const stories = inOwnRepository(input.stories, repositories)
  const problems = problemsOf(input.stories, repositories)
  if (problems.length > 0) return [{ type: 'refuse_stories', run: run.id, lane: lane.id, problems }]
  const { planOnly, reviewStories } = specOf(run)
  if (reviewStories && !planOnly) return [{ type: 'show_stories', run: run.id, stories }]
  const data = { stories, answer: stories as unknown as Json }
  return [
    { type: 'end_lane', lane: lane.id },
    planOnly
      ? { type: 'end_run', run: run.id, event: 'stories_listed', data }
      : { type: 'start_stories', run: run.id, stories },
  ]
}

export async function refuseStories(
  tx: Transaction,
  { run: id, lane, problems }: Acts['refuse_stories'],
  { clock }: Pick<WorkflowDependencies, 'clock'>,
): Promise<void> {
  const run = await load(tx, 'run', id)
  const words = problems.map((problem) => `- ${problem}`).join('\n')
  const refusedPlans = run.data.refusedPlans + 1
  const isLast = refusedPlans >= limits.storyTries
  const output = `These stories cannot be built:\n${words}\nHand in the whole corrected set.`
  await answerLane(tx, clock, { lane, output, ok: false, hold: isLast })
  const counted = await tx.edit(run, { refusedPlans })
  if (!isLast) return
  await escalateRun(tx, counted.id, {
    question: `The architect handed in ${refusedPlans} sets of stories that cannot be built. How should it split the spec?`,
    tried: `${refusedPlans} sets of stories`,
    evidence: words,
  })
}

/**
 * AWAIT_APPROVAL: shows the stories to a human. The lane stays open, since the human may ask for
 * other stories.
 */
export async function approvalMove(tx: Transaction, run: Run, stories: readonly PlannedStory[]): Promise<RunMove> {
  const escalation = await askApproval(tx, run, stories)
  return { event: 'approval_needed', data: { stories, escalation, planEditors: [] }, next: 'rest' }
}

/** Asks a human to approve exactly these stories. Returns the id of the message. */
export function askApproval(tx: Transaction, run: Run, stories: readonly PlannedStory[]): Promise<string> {
  const cost = acceptanceCost(run, stories)
  const asked = `Shall these stories be built? Reply \`approve\`, \`stop\`, or say what to change. To read them in full: drydock report ${run.id}`
  const question = cost === null ? asked : `${asked}\n${cost}`
  const room = limits.chatChars - question.length - 2 * limits.cutNotice
  const evidence = describeStories(stories, room)
  return askHuman(tx, run, { agent: 'architect', tried: '', question, evidence })
}

function pinned({ id, data: { base, config } }: Run) {
  if (base === null || config === null) throw new Error(`run ${id} has not started`)
  return { base, config }
}
