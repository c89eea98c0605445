import type { Guide } from '../agents/prompts/story-brief.ts'
import type { Run } from '../domain/run.ts'
import type { Story, StoryData } from '../domain/story.ts'
import { type StoryEffect, type StoryEvent, transition } from '../domain/story-machine.ts'
import type { Verification, VerificationData } from '../domain/verification.ts'
import type { Clock } from '../ports/clock.ts'
import type { Transaction } from '../ports/store.ts'
import { answerLane, endLane } from './answer-lane.ts'
import { endWork } from './end-work.ts'
import { load } from './machines.ts'
import { openCoding, openPlanning } from './open-editor-lane.ts'

/** An event of the story machine with what its effects need; all of it was prepared before the transaction. */
export interface StoryMove {
  readonly event: StoryEvent
  readonly data?: Partial<StoryData>
  /** For `open_planning` and `open_coding`. */
  readonly guide?: Guide | null
  readonly diff?: string
  readonly lastTail?: string | null
  /** For `resume_coding`: what `submit_change` is answered with. */
  readonly answer?: { readonly output: string; readonly ok: boolean }
  /** For `verify`. */
  readonly verification?: VerificationData
}

interface Effect {
  readonly tx: Transaction
  readonly clock: Clock
  readonly run: Run
  readonly story: Story
  readonly move: StoryMove
}

/**
 * Takes a transition of the story machine with its effects, in the caller's transaction. Null, and nothing changed, when the table has none.
 */
export async function moveStory(tx: Transaction, clock: Clock, story: Story, move: StoryMove): Promise<Story | null> {
  const next = transition(story.state, move.event)
  if (next === null) return null
  const run = await load(tx, 'run', story.run)
  let moved = await tx.updateMachine(story, { state: next.state, data: { ...story.data, ...move.data } })
  await tx.appendEvent({
    run: story.run,
    story: story.story,
    type: 'state',
    data: { from: story.state, event: move.event, to: next.state },
  })
  for (const effect of next.effects) moved = await effects[effect]({ tx, clock, run, story: moved, move })
  return moved
}

const effects: Readonly<Record<StoryEffect, (effect: Effect) => Promise<Story>>> = {
  async set_up_workspace({ tx, story }) {
    await tx.enqueue(story)
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
  async resume_coding({ tx, clock, story, move }) {
    if (story.data.lane === null || !move.answer) throw new Error(`story ${story.id} has no lane to go on with`)
    await answerLane(tx, clock, { lane: story.data.lane, ...move.answer })
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
  write_summary: closeLane,
  async write_stuck_report(effect) {
    await endWork(effect.tx, effect.clock, effect.run.id)
    return effect.story
  },
  async release_slot({ tx, run, story }) {
    await tx.enqueue(run)
    return story
  },
}

/** The lane that worked until now is over; what it waits for is not coming. */
async function closeLane({ tx, clock, story }: Effect): Promise<Story> {
  if (story.data.lane !== null) await endLane(tx, clock, story.data.lane)
  return story
}
