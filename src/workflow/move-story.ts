import type { Telling } from '../agents/prompts/guidance.ts'
import type { Guide } from '../agents/prompts/story-brief.ts'
import type { Run } from '../domain/run.ts'
import { hasCrew } from '../domain/run.ts'
import type { Story, StoryData } from '../domain/story.ts'
import { type StoryEffect, type StoryEvent, type StoryState, transition } from '../domain/story-machine.ts'
import type { Verification, VerificationData } from '../domain/verification.ts'
import type { Clock } from '../ports/clock.ts'
import type { Transaction } from '../ports/store.ts'
import { answerLane, endLane } from './answer-lane.ts'
import { askHuman, type Question } from './ask-human.ts'
import { continueLane } from './continue-lane.ts'
import { endWork } from './end-work.ts'
import { load } from './machines.ts'
import { joinMergeQueue, type NewMerge } from './merge-queue.ts'
import { openCoding, openPlanning } from './open-editor-lane.ts'
import { type NewRequest, openRequest } from './open-request.ts'

/** An event of the story machine with what its effects need; all of it was prepared before the transaction. */
export interface StoryMove {
  readonly event: StoryEvent
  readonly data?: Partial<StoryData>
  /** For `open_planning` and `open_coding`. */
  readonly guide?: Guide | null
  readonly diff?: string
  readonly lastTail?: string | null
  /** For `open_coding`: what the architect said of the plan. */
  readonly notes?: string | null
  /** For `resume_editor`: what the call that it waits in is answered with, or what its next request starts with. */
  readonly answer?: Telling & { readonly ok: boolean }
  /** For `verify`. */
  readonly verification?: VerificationData
  /** For `open_request`. */
  readonly request?: NewRequest
  /** For `join_merge_queue`. */
  readonly merge?: NewMerge
  /** For `ask_human`. */
  readonly question?: Question
}

interface Effect {
  readonly tx: Transaction
  readonly clock: Clock
  readonly run: Run
  readonly story: Story
  readonly move: StoryMove
}

/**
 * Takes a transition of the story machine with its effects, in the caller's transaction. Null, and nothing changed, when the table has none. What follows
 * for other stories is not done here (`advanceStory`).
 */
export async function moveStory(tx: Transaction, clock: Clock, story: Story, move: StoryMove): Promise<Story | null> {
  const next = transition(story.state, move.event, wayBack(story, move))
  if (next === null) return null
  if (needsWorkspace(story, move, next.effects)) return moveStory(tx, clock, story, throughSetup(story, move))
  const run = await load(tx, 'run', story.run)
  const data = { ...story.data, ...move.data, ...waysBack(story, move.event, next.state) }
  let moved = await tx.updateMachine(story, { state: next.state, data })
  await tx.appendEvent({
    run: story.run,
    story: story.story,
    type: 'state',
    data: { from: story.state, event: move.event, to: next.state },
  })
  for (const effect of next.effects) moved = await effects[effect]({ tx, clock, run, story: moved, move })
  return moved
}

const editing: readonly StoryEffect[] = ['open_planning', 'open_coding', 'resume_editor']

/** An editor goes on, and its slot was given up, or a merge is to be put into its workspace: it is set up first. */
function needsWorkspace({ data }: Story, { event }: StoryMove, effects: readonly StoryEffect[]): boolean {
  if (data.pending !== null || !effects.some((effect) => editing.includes(effect))) return false
  return data.slot === null || event === 'merge_returned'
}

function throughSetup({ state }: Story, { event, data, answer, notes }: StoryMove): StoryMove {
  return {
    event: 'workspace_wanted',
    data: { ...data, pending: { from: state, event, answer: answer ?? null, notes: notes ?? null } },
  }
}

/** Where ORIGIN is. */
function wayBack({ data }: Story, { event }: StoryMove): StoryState | null {
  if (event === 'workspace_back') return data.pending?.from ?? null
  return event === 'unpaused' ? data.pausedIn : data.origin
}

/** PAUSED comes and goes without a trace; any other move answers what was asked. */
function waysBack(story: Story, event: StoryMove['event'], next: StoryState): Partial<StoryData> {
  if (event === 'paused') return { pausedIn: story.state }
  if (event === 'unpaused') return { pausedIn: null }
  return { origin: originAfter(story, next), pausedIn: null, escalation: null }
}

/** Where the story goes back to from a state in which it waits; ESCALATED after a budget review leads to where that came from. */
function originAfter({ state, data }: Story, next: StoryState): StoryState | null {
  if (next === 'QUESTION' || next === 'BUDGET_REVIEW') return state === 'SETUP' ? data.origin : state
  if (next === 'ESCALATED') return state === 'BUDGET_REVIEW' || state === 'SETUP' ? data.origin : state
  return next === 'SETUP' ? data.origin : null
}

const effects: Readonly<Record<StoryEffect, (effect: Effect) => Promise<Story>>> = {
  async set_up_workspace({ tx, story }) {
    if (story.data.slot !== null) await tx.enqueue(story)
    return story
  },
  async open_planning(effect) {
    await closeLane(effect)
    return openPlanning(effect)
  },
  async open_coding(effect) {
    await closeLane(effect)
    return openCoding(effect)
  },
  async resume_editor({ tx, clock, story, move }) {
    if (story.data.lane === null || !move.answer) throw new Error(`story ${story.id} has no lane to go on with`)
    const lane = await load(tx, 'lane', story.data.lane)
    if (lane.state === 'WAITING') await answerLane(tx, clock, { lane: lane.id, ...move.answer })
    else await continueLane(tx, lane, move.answer)
    return story
  },
  async verify({ tx, story, move }) {
    if (!move.verification) throw new Error(`story ${story.id} has nothing to verify`)
    const data = move.verification
    const machine = {
      id: data.runId,
      kind: 'verification',
      run: story.run,
      story: story.story,
      state: 'REQUESTED',
      data,
    } as const
    const verification = (await tx.insertMachine(machine)) as Verification
    await tx.enqueue(verification)
    return story
  },
  async open_request({ tx, run, story, move }) {
    if (!move.request) throw new Error(`story ${story.id} has nothing to ask`)
    return openRequest(tx, { run, story, request: move.request })
  },
  async reopen_request({ tx, story }) {
    await tx.enqueue(story)
    return story
  },
  async halt_editor({ tx, clock, story }) {
    await endWork(tx, clock, { run: story.run, story: story.story })
    return story
  },
  async join_merge_queue({ tx, story, move }) {
    if (!move.merge) throw new Error(`story ${story.id} has nothing to merge`)
    await joinMergeQueue(tx, story, move.merge)
    return story
  },
  async ask_human({ tx, story, move }) {
    if (!move.question) throw new Error(`story ${story.id} has no question`)
    const escalation = await askHuman(tx, story, { agent: 'architect', ...move.question })
    return tx.updateMachine(story, { state: story.state, data: { ...story.data, escalation } })
  },
  write_summary: closeLane,
  async write_stuck_report({ tx, clock, story }) {
    await endWork(tx, clock, { run: story.run, story: story.story })
    return story
  },
  async release_slot({ tx, run, story }) {
    if (!hasCrew(run)) await tx.enqueue(run)
    // What a story that is cancelled leaves in its workspace is kept by the Run's next step.
    if (!hasCrew(run) || story.state === 'CANCELLED') return story
    return tx.updateMachine(story, { state: story.state, data: { ...story.data, slot: null } })
  },
}

/** The lane that worked until now is over; what it waits for is not coming. */
async function closeLane({ tx, clock, story }: Effect): Promise<Story> {
  if (story.data.lane !== null) await endLane(tx, clock, story.data.lane)
  return story
}
