/** The Run machine as data. The end states of a task's Run are those of its one story. */
export const runStates = [
  'WAITING',
  'INTERVIEW',
  'SCOPING',
  'STORY_GENERATION',
  'AWAIT_APPROVAL',
  'MONITORING',
  'ESCALATED',
  'PAUSED',
  'DONE',
  'STUCK',
  'INFRA_ERROR',
  'NO_CHANGE',
  'TOO_VAGUE',
  'CANCELLED',
  'ERROR',
] as const

export type RunState = (typeof runStates)[number]

export const runEvents = [
  'interview_started',
  'spec_written',
  'scoping_started',
  'scoped',
  'too_vague',
  'stories_listed',
  'approval_needed',
  'approved',
  'changes_wanted',
  'escalated',
  'guided',
  'started',
  'done',
  'stuck',
  'infra_error',
  'unchanged',
  'accepted',
  'cancelled',
  'failed',
  'paused',
  'unpaused',
  'resumed',
  'queued_again',
  'ending',
] as const

export type RunEvent = (typeof runEvents)[number]

/** ORIGIN: the previous state of the Run. */
export type RunTarget = RunState | 'ORIGIN'

type Row = Partial<Record<RunEvent, RunTarget>>

const anywhere = { cancelled: 'CANCELLED', failed: 'ERROR' } as const
/** Transitions of a Run in progress, which can be paused by a reached budget or by a human. */
const going = { paused: 'PAUSED', ...anywhere } as const
const ended = { queued_again: 'WAITING', cancelled: 'CANCELLED' } as const

export const runTable: Readonly<Record<RunState, Row>> = {
  WAITING: {
    started: 'MONITORING',
    interview_started: 'INTERVIEW',
    scoping_started: 'SCOPING',
    approval_needed: 'AWAIT_APPROVAL',
    ...going,
  },
  /** The architect clarifies a spec; its questions make the Run ESCALATED. */
  INTERVIEW: { spec_written: 'DONE', escalated: 'ESCALATED', ...going },
  SCOPING: { scoped: 'STORY_GENERATION', too_vague: 'TOO_VAGUE', escalated: 'ESCALATED', ...going },
  STORY_GENERATION: {
    started: 'MONITORING',
    approval_needed: 'AWAIT_APPROVAL',
    stories_listed: 'DONE',
    escalated: 'ESCALATED',
    ...going,
  },
  AWAIT_APPROVAL: { approved: 'MONITORING', changes_wanted: 'STORY_GENERATION', ...going },
  /** MONITORING only routes, without a model. */
  MONITORING: { done: 'DONE', stuck: 'STUCK', infra_error: 'INFRA_ERROR', unchanged: 'NO_CHANGE', ...going },
  ESCALATED: { guided: 'ORIGIN', ...going },
  PAUSED: { unpaused: 'ORIGIN', ...anywhere },
  DONE: { queued_again: 'WAITING' },
  STUCK: ended,
  INFRA_ERROR: ended,
  /** NO_CHANGE keeps nothing, so there is nothing to give up. */
  NO_CHANGE: { queued_again: 'WAITING', accepted: 'DONE' },
  /** The user has to clarify the spec. Nothing was built. */
  TOO_VAGUE: {},
  CANCELLED: { queued_again: 'WAITING' },
  /** A Run that is cancelled while its slot holds work keeps that work first, and then ends. */
  ERROR: { resumed: 'ORIGIN', ending: 'MONITORING', queued_again: 'WAITING', cancelled: 'CANCELLED', failed: 'ERROR' },
}

export const endedRunStates: readonly RunState[] = [
  'DONE',
  'STUCK',
  'INFRA_ERROR',
  'NO_CHANGE',
  'TOO_VAGUE',
  'CANCELLED',
]

/** The target state of an event; null when the table has no such transition. */
export function runTransition(state: RunState, event: RunEvent, origin: RunState | null): RunState | null {
  const next = runTable[state][event] ?? null
  return next === 'ORIGIN' ? origin : next
}
