/**
 * The story machine as data. A story of a task has no architect: a valid plan goes to CODING and a PASS to DONE; the
 * states of review, merging and escalation join the table with the crew.
 */
export const storyStates = [
  'QUEUED',
  'SETUP',
  'PLANNING',
  'CODING',
  'VERIFYING',
  'DONE',
  'STUCK',
  'INFRA_ERROR',
  'CANCELLED',
] as const

export type StoryState = (typeof storyStates)[number]

export const storyEvents = [
  'slot_assigned',
  'workspace_ready',
  'plan_submitted',
  'change_submitted',
  'change_previewed',
  'passed',
  'slice_passed',
  'failed',
  'replan',
  'hard_stop',
  'lane_stopped',
  'infra_error',
  'cancelled',
  'retried',
] as const

export type StoryEvent = (typeof storyEvents)[number]

/** What the workflow does when a transition is taken, in the order given. */
export type StoryEffect =
  | 'set_up_workspace'
  | 'open_planning'
  | 'open_coding'
  | 'resume_coding'
  | 'verify'
  | 'write_summary'
  | 'write_stuck_report'
  | 'release_slot'

export interface Transition {
  readonly state: StoryState
  readonly effects: readonly StoryEffect[]
}

type Row = Partial<Record<StoryEvent, Transition>>

const to = (state: StoryState, ...effects: StoryEffect[]): Transition => ({ state, effects })
const stuck = to('STUCK', 'write_stuck_report', 'release_slot')
const infraError = to('INFRA_ERROR', 'write_stuck_report', 'release_slot')
const cancelled = to('CANCELLED', 'release_slot')
/** Its slot is free already; the stuck report is resolved. */
const givenUp = to('CANCELLED')
const retried = to('QUEUED')

export const storyTable: Readonly<Record<StoryState, Row>> = {
  QUEUED: { slot_assigned: to('SETUP', 'set_up_workspace'), cancelled },
  SETUP: { workspace_ready: to('PLANNING', 'open_planning'), infra_error: infraError, cancelled },
  PLANNING: {
    plan_submitted: to('CODING', 'open_coding'),
    lane_stopped: stuck,
    infra_error: infraError,
    cancelled,
  },
  CODING: {
    change_submitted: to('VERIFYING', 'verify'),
    change_previewed: to('DONE', 'write_summary', 'release_slot'),
    lane_stopped: stuck,
    infra_error: infraError,
    cancelled,
  },
  VERIFYING: {
    passed: to('DONE', 'write_summary', 'release_slot'),
    slice_passed: to('CODING', 'resume_coding'),
    failed: to('CODING', 'resume_coding'),
    replan: to('PLANNING', 'open_planning'),
    hard_stop: stuck,
    infra_error: infraError,
    cancelled,
  },
  DONE: {},
  STUCK: { retried, cancelled: givenUp },
  INFRA_ERROR: { retried, cancelled: givenUp },
  CANCELLED: { retried },
}

export const endStates: readonly StoryState[] = storyStates.filter(
  (state) => state === 'DONE' || 'retried' in storyTable[state],
)

/** The next state and the effects of an event; null when the table has no such transition, which changes nothing. */
export function transition(state: StoryState, event: StoryEvent): Transition | null {
  return storyTable[state][event] ?? null
}
