import { brief, type Guide, pastSection, planSection } from '../agents/prompts/story-brief.ts'
import { editorLimits } from '../domain/lane.ts'
import type { Run } from '../domain/run.ts'
import type { Story, StoryData } from '../domain/story.ts'
import { type StoryEffect, type StoryEvent, transition } from '../domain/story-machine.ts'
import { capText, lastLines } from '../domain/text.ts'
import type { Verification, VerificationData } from '../domain/verification.ts'
import type { Clock } from '../ports/clock.ts'
import type { Transaction } from '../ports/store.ts'
import { answerLane, endLane } from './answer-lane.ts'
import { load } from './machines.ts'
import { openLane } from './open-lane.ts'

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
  open_planning: openPlanning,
  open_coding: openCoding,
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
  write_stuck_report: closeLane,
  async release_slot({ tx, run, story }) {
    await tx.enqueue(run)
    return story
  },
}

async function openPlanning({ tx, clock, run, story, move }: Effect): Promise<Story> {
  await closeLane({ tx, clock, run, story, move })
  const { data } = story
  const planning = data.planning + 1
  const suffix = planning > 1 ? `/${planning}` : ''
  const fresh = planning === 1 && data.retries === 0
  const past = fresh
    ? null
    : pastSection({
        because: planning > 1 ? 'replan' : 'retry',
        plans: data.plans,
        hypotheses: data.hypotheses,
        verifications: data.attempts.map(({ runId, status }) => `${runId}: ${status}`),
        lastTail: move.lastTail ? capText(lastLines(move.lastTail, 80), 8_000) : null,
        diff: move.diff ?? '',
        guidance: data.guidance,
        stuckReport: planning === 1 ? data.stuckReport : null,
      })
  const lane = await openLane(tx, {
    run: run.id,
    story: story.story,
    key: `editor/${data.name}/PLANNING${suffix}`,
    role: 'planner',
    parent: story.id,
    limits: editorLimits(configOf(run).planningIterations),
    prompt: [brief(data.task, move.guide ?? null), past].filter(Boolean).join('\n\n'),
  })
  return tx.updateMachine(story, { state: story.state, data: { ...data, planning, lane: lane.id } })
}

async function openCoding({ tx, clock, run, story, move }: Effect): Promise<Story> {
  await closeLane({ tx, clock, run, story, move })
  const { data } = story
  const plan = data.plans.at(-1)
  if (!plan) throw new Error(`story ${story.id} has no plan`)
  const suffix = data.planning > 1 ? `/${data.planning}` : ''
  const carried = move.diff
    ? `The workspace already holds this change of earlier attempts; keep, change or undo it:\n<diff>\n${move.diff}\n</diff>`
    : null
  const guidance = data.guidance && `<guidance from="human">\n${data.guidance}\n</guidance>`
  const lane = await openLane(tx, {
    run: run.id,
    story: story.story,
    key: `editor/${data.name}/CODING${suffix}`,
    role: 'coder',
    parent: story.id,
    limits: editorLimits(configOf(run).codingIterations),
    prompt: [brief(data.task, move.guide ?? null), planSection(plan), carried, guidance].filter(Boolean).join('\n\n'),
  })
  return tx.updateMachine(story, { state: story.state, data: { ...data, lane: lane.id } })
}

/** The lane that worked until now is over; what it waits for is not coming. */
async function closeLane({ tx, clock, story }: Effect): Promise<Story> {
  if (story.data.lane !== null) await endLane(tx, clock, story.data.lane)
  return story
}

function configOf(run: Run) {
  if (run.data.config === null) throw new Error(`run ${run.id} has not started`)
  return run.data.config
}
