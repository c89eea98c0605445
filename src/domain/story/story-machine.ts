/**
 * The story machine as data. Without a reviewer a valid plan leads to CODING and a PASS to DONE.
 * With one, plans and changes are reviewed; an approved change is merged, or DONE where its Run
 * hands it over.
 */
export const storyStates = [
  'QUEUED',
  'BLOCKED',
  'SETUP',
  'PLANNING',
  'PLAN_REVIEW',
  'CODING',
  'VERIFYING',
  'CODE_REVIEW',
  'COMPLETION_REVIEW',
  'ACCEPTANCE_REVIEW',
  'QUESTION',
  'BUDGET_REVIEW',
  'MERGING',
  'ESCALATED',
  'PAUSED',
  'DONE',
  'STUCK',
  'INFRA_ERROR',
  'REJECTED',
  'NO_CHANGE',
  'CANCELLED',
  'DROPPED',
] as const

export type StoryState = (typeof storyStates)[number]

export const storyEvents = [
  'slot_assigned',
  'blocked',
  'unblocked',
  'workspace_ready',
  'ready_to_code',
  'workspace_wanted',
  'workspace_back',
  'workspace_lost',
  'workspace_restored',
  'plan_submitted',
  'plan_to_review',
  'change_submitted',
  'change_previewed',
  'nothing_previewed',
  'passed',
  'passed_to_review',
  'passed_unchanged',
  'ended_unchanged',
  'slice_passed',
  'failed',
  'replan',
  'start_over',
  'hard_stop',
  'base_red',
  'allowed',
  'flaky_verdicts',
  'criteria_unmet',
  'criteria_disputed',
  'criteria_stand',
  'asked',
  'answered',
  'approved',
  'needs_changes',
  'rejected',
  'escalated',
  'guided',
  'reopened',
  'findings_accepted',
  'merged',
  'merge_returned',
  'lane_stopped',
  'budget_spent',
  'paused',
  'unpaused',
  'infra_error',
  'cancelled',
  'dropped',
  'retried',
  'accepted',
] as const

export type StoryEvent = (typeof storyEvents)[number]

/** The actions of the workflow at a transition, in the given order. */
export type StoryEffect =
  | 'set_up_workspace'
  | 'open_planning'
  | 'open_coding'
  | 'open_unplanned'
  | 'resume_editor'
  | 'hold_editor'
  | 'wake_agents'
  | 'verify'
  | 'verify_again'
  | 'open_request'
  | 'reopen_request'
  | 'halt_editor'
  | 'join_merge_queue'
  | 'ask_human'
  | 'write_summary'
  | 'write_stuck_report'
  | 'release_slot'

export interface Transition {
  /** ORIGIN: the previous state of the story. */
  readonly state: StoryState | 'ORIGIN'
  readonly effects: readonly StoryEffect[]
}

type Row = Partial<Record<StoryEvent, Transition>>

const to = (state: Transition['state'], ...effects: StoryEffect[]): Transition => ({ state, effects })
const stuck = to('STUCK', 'write_stuck_report', 'release_slot')
const infraError = to('INFRA_ERROR', 'write_stuck_report', 'release_slot')
const rejected = to('REJECTED', 'write_stuck_report', 'release_slot')
const cancelled = to('CANCELLED', 'release_slot')
/** Nothing differs from the base, and the user has to judge that. */
const noChange = to('NO_CHANGE', 'write_summary', 'release_slot')
const retried = to('QUEUED')
/** A person removed the story from the plan before it began. */
const dropped = to('DROPPED', 'release_slot')
/** Transitions that end any work in progress. */
const ending = { infra_error: infraError, cancelled }
/**
 * A state with work in progress: a budget may block its next call, or a human may pause the Run.
 */
const working = { paused: to('PAUSED') }
const setUp = to('SETUP', 'set_up_workspace')
/** A state in which the editor waits, and its slot can serve another story. */
const waiting = { workspace_wanted: setUp, ...ending }
const escalated = to('ESCALATED', 'ask_human')
/** The requests of an editor during its work; `escalated` after too many. */
const editing = {
  escalated,
  asked: to('QUESTION', 'open_request'),
  budget_spent: to('BUDGET_REVIEW', 'open_request'),
  lane_stopped: stuck,
  /** The host of the workspace is gone: the story continues elsewhere, from its last snapshot. */
  workspace_lost: setUp,
  ...working,
}

export const storyTable: Readonly<Record<StoryState, Row>> = {
  QUEUED: { slot_assigned: to('SETUP', 'set_up_workspace'), blocked: to('BLOCKED'), dropped, cancelled },
  BLOCKED: { unblocked: to('QUEUED'), dropped, cancelled },
  SETUP: {
    /** A story that has waited for a slot returns to its work. */
    slot_assigned: to('SETUP', 'set_up_workspace'),
    workspace_ready: to('PLANNING', 'open_planning'),
    /** A foreign agent codes without a plan if its task has criteria. */
    ready_to_code: to('CODING', 'open_unplanned'),
    workspace_back: to('ORIGIN'),
    ...working,
    ...ending,
  },
  PLANNING: {
    plan_submitted: to('CODING', 'open_coding'),
    plan_to_review: to('PLAN_REVIEW', 'open_request'),
    findings_accepted: to('PLAN_REVIEW', 'halt_editor', 'reopen_request'),
    workspace_restored: to('PLANNING', 'wake_agents'),
    ...editing,
    ...ending,
  },
  PLAN_REVIEW: {
    approved: to('CODING', 'open_coding'),
    needs_changes: to('PLANNING', 'resume_editor'),
    rejected,
    escalated,
    ...working,
    ...waiting,
  },
  CODING: {
    change_submitted: to('VERIFYING', 'verify'),
    change_previewed: to('DONE', 'write_summary', 'release_slot'),
    nothing_previewed: noChange,
    findings_accepted: to('CODE_REVIEW', 'halt_editor', 'reopen_request'),
    workspace_restored: to('CODING', 'wake_agents'),
    ...editing,
    ...ending,
  },
  VERIFYING: {
    passed: to('DONE', 'write_summary', 'release_slot'),
    passed_to_review: to('CODE_REVIEW', 'open_request'),
    passed_unchanged: to('COMPLETION_REVIEW', 'open_request'),
    ended_unchanged: noChange,
    slice_passed: to('CODING', 'resume_editor'),
    failed: to('CODING', 'resume_editor'),
    replan: to('PLANNING', 'open_planning'),
    /** A REPLAN without a plan begins another conversation. */
    start_over: to('CODING', 'open_unplanned'),
    hard_stop: stuck,
    /** All failing tests fail on the base commit as well: a human decides. */
    base_red: escalated,
    /** Flaky tests alone have decided too often: the architect is asked. */
    flaky_verdicts: to('BUDGET_REVIEW', 'hold_editor', 'open_request'),
    /**
     * The change is green, but fails a test that its editor does not see: the editor is told the
     * criterion.
     */
    criteria_unmet: to('CODING', 'resume_editor'),
    /** The editor was told and the criterion is still not met: the architect looks at the test. */
    criteria_disputed: to('ACCEPTANCE_REVIEW', 'open_request'),
    /** The criterion is not met although the test was checked: a human decides. */
    criteria_stand: escalated,
    /** The editor continues, and the host of its workspace is gone. */
    workspace_lost: setUp,
    ...working,
    ...ending,
  },
  CODE_REVIEW: {
    approved: to('MERGING', 'join_merge_queue'),
    /** A change is approved where the Run hands it over at its end. */
    passed: to('DONE', 'write_summary', 'release_slot'),
    needs_changes: to('CODING', 'resume_editor'),
    rejected,
    escalated,
    ...working,
    ...waiting,
  },
  COMPLETION_REVIEW: {
    approved: to('DONE', 'write_summary', 'release_slot'),
    needs_changes: to('CODING', 'resume_editor'),
    rejected,
    escalated,
    ...working,
    ...waiting,
  },
  ACCEPTANCE_REVIEW: {
    /** A test was wrong: the unchanged commit is verified again. */
    approved: to('VERIFYING', 'verify_again'),
    needs_changes: to('CODING', 'resume_editor'),
    escalated,
    ...working,
    ...waiting,
  },
  QUESTION: { answered: to('ORIGIN', 'resume_editor'), ...working, ...waiting },
  BUDGET_REVIEW: {
    approved: to('ORIGIN', 'resume_editor'),
    needs_changes: to('ORIGIN', 'resume_editor'),
    rejected: escalated,
    ...working,
    ...waiting,
  },
  MERGING: {
    merged: to('DONE', 'write_summary', 'release_slot'),
    merge_returned: to('CODING', 'resume_editor'),
    escalated,
    ...working,
    ...waiting,
  },
  /** Guidance returns to the origin of the question: the editor, or another round of the review. */
  ESCALATED: {
    guided: to('ORIGIN', 'resume_editor'),
    reopened: to('ORIGIN', 'reopen_request'),
    merge_returned: to('CODING', 'resume_editor'),
    /** A human approves the plan. */
    approved: to('CODING', 'open_coding'),
    /** A human allows the failures: the unchanged commit is verified again. */
    allowed: to('VERIFYING', 'verify_again'),
    ...waiting,
  },
  /** A budget is reached, or a human has paused the Run; the state to return to is stored. */
  PAUSED: { unpaused: to('ORIGIN'), ...ending },
  DONE: {},
  STUCK: { retried, cancelled: to('CANCELLED') },
  INFRA_ERROR: { retried, cancelled: to('CANCELLED') },
  REJECTED: { retried, cancelled: to('CANCELLED') },
  NO_CHANGE: { retried, accepted: to('DONE') },
  CANCELLED: { retried },
  DROPPED: {},
}

export const endStates: readonly StoryState[] = storyStates.filter(
  (state) => state === 'DONE' || state === 'DROPPED' || 'retried' in storyTable[state],
)

/**
 * The next state and the effects of an event; null when the table has no such transition, and
 * nothing changes.
 */
export function transition(
  state: StoryState,
  event: StoryEvent,
  origin: StoryState | null = null,
): { readonly state: StoryState; readonly effects: readonly StoryEffect[] } | null {
  const next = storyTable[state][event]
  if (next === undefined) return null
  if (next.state !== 'ORIGIN') return { state: next.state, effects: next.effects }
  return origin === null ? null : { state: origin, effects: next.effects }
}
