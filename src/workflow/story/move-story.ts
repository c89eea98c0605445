import type { Telling } from '../../agents/prompts/guidance.ts'
import type { GuideTexts } from '../../agents/prompts/guide-section.ts'
import { wayBack } from '../../domain/machines.ts'
import type { PausedBy } from '../../domain/run/pause-cause.ts'
import type { Run } from '../../domain/run/run.ts'
import type { PendingMove, Story, StoryData } from '../../domain/story/story.ts'
import {
  endStates,
  type StoryEffect,
  type StoryEvent,
  type StoryState,
  transition,
} from '../../domain/story/story-machine.ts'
import type { VerificationData } from '../../domain/verification/verification.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Transaction } from '../../ports/store.ts'
import { followAcceptance } from '../architect/acceptance/begin-acceptance.ts'
import { type NewRequest, openRequest } from '../architect/open-request.ts'
import { askHuman, type Question } from '../chat/ask-human.ts'
import { answerMarks } from '../editor/answer-marks.ts'
import { openCoding, openPlanning, openUnplanned } from '../editor/open-editor-lane.ts'
import { answerLane, endLane } from '../lane/answer-lane.ts'
import { continueLane } from '../lane/continue-lane.ts'
import { load, runOf } from '../machines.ts'
import { joinMergeQueue, type NewMerge } from '../merge/merge-queue.ts'
import { attachWaiting } from '../remark/attach-remarks.ts'
import { endRemarks } from '../remark/settle-remarks.ts'
import { endWork } from '../run/end-work.ts'
import { wakeAgents } from './workspace.ts'

/** The answer to the call in which an editor waits, or the start of its next request. */
export type EditorAnswer = Telling & {
  readonly ok: boolean
  /** The progress that the answer shows, if its words alone do not. */
  readonly marks?: readonly string[]
}

/** The data for the first message of an editor's new lane. */
export interface EditorStart {
  readonly guide: GuideTexts | null
  /** The changes that earlier attempts left in the workspace. */
  readonly diff: string
  /** The end of the last failed verification's log. */
  readonly lastTail?: string | null
  /** The architect's notes on the plan. */
  readonly notes?: string | null
}

/** The data of an event for its effects; for an approval it depends on the approved work. */
interface Payloads {
  workspace_ready: EditorStart
  ready_to_code: EditorStart
  plan_submitted: EditorStart
  replan: EditorStart
  start_over: EditorStart
  plan_to_review: { readonly request: NewRequest }
  passed_to_review: { readonly request: NewRequest }
  passed_unchanged: { readonly request: NewRequest }
  criteria_disputed: { readonly request: NewRequest }
  criteria_unmet: { readonly answer: EditorAnswer }
  criteria_stand: { readonly question: Question }
  asked: { readonly request: NewRequest }
  budget_spent: { readonly request: NewRequest }
  flaky_verdicts: { readonly request: NewRequest; readonly answer: EditorAnswer }
  /** Null if the tree has a verdict: its move follows in the same transaction. */
  change_submitted: { readonly verification: VerificationData | null }
  slice_passed: { readonly answer: EditorAnswer }
  failed: { readonly answer: EditorAnswer }
  answered: { readonly answer: EditorAnswer }
  needs_changes: { readonly answer: EditorAnswer }
  guided: { readonly answer: EditorAnswer }
  merge_returned: { readonly answer: EditorAnswer }
  approved: EditorStart | { readonly merge: NewMerge } | { readonly answer: EditorAnswer } | object
  escalated: { readonly question: Question }
  base_red: { readonly question: Question }
  rejected: { readonly question: Question } | object
}

type MoveOf<Event extends StoryEvent> = {
  readonly event: Event
  readonly data?: Partial<StoryData>
} & (Event extends keyof Payloads ? Payloads[Event] : object)

/**
 * An event of the story machine with the data for its effects, all prepared before the transaction.
 */
export type StoryMove = { [Event in StoryEvent]: MoveOf<Event> }[StoryEvent]

interface Effect {
  readonly tx: Transaction
  readonly clock: Clock
  readonly run: Run
  readonly story: Story
  readonly move: StoryMove
}

/**
 * Takes a transition of the story machine with its effects, in the caller's transaction. Null,
 * without any change, if the table has no such transition. Consequences for other stories are left
 * to `advanceStory`.
 */
export async function moveStory(tx: Transaction, clock: Clock, story: Story, move: StoryMove): Promise<Story | null> {
  const next = transition(story.state, move.event, wayBack(story.data, move.event))
  if (next === null) return null
  if (needsWorkspace(story, move, next.effects)) return moveStory(tx, clock, story, throughSetup(story, move))
  const run = await runOf(tx, story)
  const data = { ...move.data, ...waysBack(story, move.event, next.state) }
  const slot = move.data?.slot === undefined ? story.data.slot : move.data.slot
  let moved = await tx.move(story, move.event, { data, next: hasStep(next.effects, slot) ? 'queue' : 'rest' })
  await tx.appendEvent({
    run: story.run,
    story: story.story,
    type: 'state',
    data: {
      from: story.state,
      event: move.event,
      to: next.state,
      ...(move.event === 'paused' && { by: pauserOf(run) }),
    },
  })
  for (const effect of next.effects) moved = await effects[effect]({ tx, clock, run, story: moved, move })
  await followAcceptance(tx, clock, { run, story: moved })
  return followRemarks(tx, moved, move.event)
}

/** The side that a paused story waits for; an event before it names the person or the budgets. */
function pauserOf({ data: { rest } }: Run): PausedBy {
  return rest?.because === 'user' ? 'user' : 'budget'
}

/** Moves people's remarks on the change together with the story. */
async function followRemarks(tx: Transaction, story: Story, event: StoryEvent): Promise<Story> {
  const isOver = endStates.includes(story.state) && story.state !== 'DONE'
  if (isOver || event === 'retried') await endRemarks(tx, story)
  return event === 'merge_returned' ? attachWaiting(tx, story) : story
}

const editing: readonly StoryEffect[] = [
  ...(['open_planning', 'open_coding', 'open_unplanned', 'resume_editor', 'verify_again'] as const),
]

/**
 * True if an editor continues without a slot, or with a merge to put into its workspace: both need
 * a setup first.
 */
function needsWorkspace({ data }: Story, { event }: StoryMove, effects: readonly StoryEffect[]): boolean {
  if (data.pending !== null || !effects.some((effect) => editing.includes(effect))) return false
  return data.slot === null || event === 'merge_returned'
}

function throughSetup({ state }: Story, move: StoryMove): StoryMove {
  const answer = 'answer' in move ? move.answer : null
  const notes = 'notes' in move ? (move.notes ?? null) : null
  return {
    event: state === 'VERIFYING' ? 'workspace_lost' : 'workspace_wanted',
    data: { ...move.data, pending: { from: state, event: move.event, answer, notes } },
  }
}

/**
 * True if a story has a step of its own: it sets its workspace up once it has a slot, or requests a
 * review again. Other machines do everything else.
 */
function hasStep(effects: readonly StoryEffect[], slot: string | null): boolean {
  if (effects.includes('set_up_workspace')) return slot !== null
  return effects.includes('reopen_request') || effects.includes('verify_again')
}

/** PAUSED leaves no trace; any other move answers the open question. */
function waysBack(story: Story, event: StoryMove['event'], next: StoryState): Partial<StoryData> {
  if (event === 'paused') return { pausedIn: story.state }
  if (event === 'unpaused') return { pausedIn: null }
  const answered = { origin: originAfter(story, next), pausedIn: null, escalation: null }
  return event === 'infra_error' ? { ...answered, pending: wayOn(story) } : answered
}

/**
 * The move that continues a story after an infrastructure failure: the same change is verified, or
 * the same commit is merged. Null if agents were at work, which have ended with it.
 */
function wayOn({ state, data }: Story): PendingMove | null {
  switch (data.pausedIn ?? state) {
    case 'VERIFYING':
      return { from: 'CODING', event: 'change_submitted', answer: null, notes: null }
    case 'MERGING':
      return { from: 'CODE_REVIEW', event: 'approved', answer: null, notes: null }
    case 'SETUP':
      return data.pending?.event === 'workspace_restored' ? null : data.pending
    default:
      return null
  }
}

/**
 * The state to which a waiting story returns; ESCALATED after a budget review returns to the state
 * before that review.
 */
function originAfter({ state, data }: Story, next: StoryState): StoryState | null {
  if (state === 'VERIFYING' && (next === 'BUDGET_REVIEW' || next === 'ESCALATED')) return 'CODING'
  if (next === 'QUESTION' || next === 'BUDGET_REVIEW') return state === 'SETUP' ? data.origin : state
  if (next === 'ESCALATED') return state === 'BUDGET_REVIEW' || state === 'SETUP' ? data.origin : state
  const isOnItsWay = data.pending !== null && (next === 'INFRA_ERROR' || next === 'QUEUED')
  return next === 'SETUP' || isOnItsWay ? data.origin : null
}

const effects: Readonly<Record<StoryEffect, (effect: Effect) => Promise<Story>>> = {
  set_up_workspace: async ({ story }) => story,
  async open_planning(effect) {
    await closeLane(effect)
    return openPlanning({ ...effect, move: brought(effect, 'diff') })
  },
  async open_coding(effect) {
    await closeLane(effect)
    return openCoding({ ...effect, move: brought(effect, 'diff') })
  },
  async open_unplanned(effect) {
    await closeLane(effect)
    return openUnplanned({ ...effect, move: brought(effect, 'diff') })
  },
  async resume_editor(effect) {
    const { tx, clock, story } = effect
    const { answer } = brought(effect, 'answer')
    if (story.data.lane === null) throw new Error(`story ${story.id} has no lane to go on with`)
    const lane = await load(tx, 'lane', story.data.lane)
    const marks = answerMarks(story, answer)
    if (lane.state === 'WAITING') await answerLane(tx, clock, { lane: lane.id, ...answer, marks })
    else await continueLane(tx, lane, answer)
    return story
  },
  async hold_editor(effect) {
    const { tx, clock, story } = effect
    const { answer } = brought(effect, 'answer')
    if (story.data.lane === null) throw new Error(`story ${story.id} has no lane to hold`)
    await answerLane(tx, clock, { lane: story.data.lane, ...answer, marks: answerMarks(story, answer), hold: true })
    return story
  },
  async wake_agents({ tx, story }) {
    await wakeAgents(tx, story)
    return story
  },
  async verify(effect) {
    const { tx, story } = effect
    const { verification: data } = brought(effect, 'verification')
    if (data === null) return story
    const machine = { id: data.runId, kind: 'verification', run: story.run, story: story.story, data } as const
    await tx.create(machine, 'queue')
    return story
  },
  verify_again: async ({ story }) => story,
  async open_request(effect) {
    const { tx, run, story } = effect
    return openRequest(tx, { run, story, request: brought(effect, 'request').request })
  },
  reopen_request: async ({ story }) => story,
  async halt_editor({ tx, clock, story }) {
    await endWork(tx, clock, { run: story.run, story: story.story })
    return story
  },
  async join_merge_queue(effect) {
    const { tx, story } = effect
    await joinMergeQueue(tx, story, brought(effect, 'merge').merge)
    return story
  },
  async ask_human(effect) {
    const { tx, story } = effect
    const escalation = await askHuman(tx, story, { agent: 'architect', ...brought(effect, 'question').question })
    return tx.edit(story, { escalation })
  },
  write_summary: closeLane,
  async write_stuck_report({ tx, clock, story }) {
    await endWork(tx, clock, { run: story.run, story: story.story })
    return story
  },
  async release_slot({ tx, run, story }) {
    if (run.data.policy.slot === 'run') await tx.queue(run)
    // The Run's next step saves the workspace of a cancelled story.
    if (run.data.policy.slot === 'run' || story.state === 'CANCELLED') return story
    return tx.edit(story, { slot: null })
  },
}

/**
 * The event's data for an effect of its row; only the data of `approved` and `rejected` depend on
 * the state.
 */
function brought<Key extends string>(
  { story, move }: Effect,
  key: Key,
): Extract<StoryMove, Readonly<Record<Key, unknown>>> {
  if (key in move) return move as Extract<StoryMove, Readonly<Record<Key, unknown>>>
  throw new Error(`story ${story.id} was moved by ${move.event} without its ${key}`)
}

/** Ends the lane that has worked until now, since its answer is not coming. */
async function closeLane({ tx, clock, story }: Effect): Promise<Story> {
  if (story.data.lane !== null) await endLane(tx, clock, story.data.lane)
  return story
}
