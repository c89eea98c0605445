import { describe, expect, test } from 'vitest'
import {
  endStates,
  type StoryEffect,
  type StoryEvent,
  type StoryState,
  storyEvents,
  storyStates,
  storyTable,
  transition,
} from '../../src/domain/story/story-machine.ts'

type Row = Partial<Record<StoryEvent, StoryState | 'ORIGIN'>>

/** The events that end any running work. */
const ending: Row = { infra_error: 'INFRA_ERROR', cancelled: 'CANCELLED' }
/** Another story may have the slot while the editor waits; then a workspace is set up first. */
const waiting: Row = { workspace_wanted: 'SETUP', ...ending }
/**
 * In PLANNING and CODING: ask_architect, the iteration limit with and without an architect, and the
 * loss of the host.
 */
const editing: Row = {
  asked: 'QUESTION',
  escalated: 'ESCALATED',
  budget_spent: 'BUDGET_REVIEW',
  lane_stopped: 'STUCK',
  workspace_lost: 'SETUP',
  paused: 'PAUSED',
  ...ending,
}

/**
 * The table of docs/state-machines.md, written again by hand; an event that is missing here changes
 * nothing.
 */
const expected: Readonly<Record<StoryState, Row>> = {
  QUEUED: { slot_assigned: 'SETUP', blocked: 'BLOCKED', dropped: 'DROPPED', cancelled: 'CANCELLED' },
  BLOCKED: { unblocked: 'QUEUED', dropped: 'DROPPED', cancelled: 'CANCELLED' },
  SETUP: {
    slot_assigned: 'SETUP',
    workspace_ready: 'PLANNING',
    ready_to_code: 'CODING',
    workspace_back: 'ORIGIN',
    paused: 'PAUSED',
    ...ending,
  },
  PLANNING: {
    plan_submitted: 'CODING',
    plan_to_review: 'PLAN_REVIEW',
    findings_accepted: 'PLAN_REVIEW',
    workspace_restored: 'PLANNING',
    ...editing,
  },
  PLAN_REVIEW: {
    approved: 'CODING',
    needs_changes: 'PLANNING',
    rejected: 'REJECTED',
    escalated: 'ESCALATED',
    paused: 'PAUSED',
    ...waiting,
  },
  CODING: {
    change_submitted: 'VERIFYING',
    change_previewed: 'DONE',
    nothing_previewed: 'NO_CHANGE',
    findings_accepted: 'CODE_REVIEW',
    workspace_restored: 'CODING',
    ...editing,
  },
  VERIFYING: {
    passed: 'DONE',
    passed_to_review: 'CODE_REVIEW',
    passed_unchanged: 'COMPLETION_REVIEW',
    ended_unchanged: 'NO_CHANGE',
    slice_passed: 'CODING',
    failed: 'CODING',
    replan: 'PLANNING',
    start_over: 'CODING',
    hard_stop: 'STUCK',
    base_red: 'ESCALATED',
    criteria_unmet: 'CODING',
    criteria_disputed: 'ACCEPTANCE_REVIEW',
    criteria_stand: 'ESCALATED',
    flaky_verdicts: 'BUDGET_REVIEW',
    workspace_lost: 'SETUP',
    paused: 'PAUSED',
    ...ending,
  },
  CODE_REVIEW: {
    approved: 'MERGING',
    passed: 'DONE',
    needs_changes: 'CODING',
    rejected: 'REJECTED',
    escalated: 'ESCALATED',
    paused: 'PAUSED',
    ...waiting,
  },
  COMPLETION_REVIEW: {
    approved: 'DONE',
    needs_changes: 'CODING',
    rejected: 'REJECTED',
    escalated: 'ESCALATED',
    paused: 'PAUSED',
    ...waiting,
  },
  ACCEPTANCE_REVIEW: {
    approved: 'VERIFYING',
    needs_changes: 'CODING',
    escalated: 'ESCALATED',
    paused: 'PAUSED',
    ...waiting,
  },
  QUESTION: { answered: 'ORIGIN', paused: 'PAUSED', ...waiting },
  BUDGET_REVIEW: { approved: 'ORIGIN', needs_changes: 'ORIGIN', rejected: 'ESCALATED', paused: 'PAUSED', ...waiting },
  MERGING: { merged: 'DONE', merge_returned: 'CODING', escalated: 'ESCALATED', paused: 'PAUSED', ...waiting },
  ESCALATED: {
    guided: 'ORIGIN',
    reopened: 'ORIGIN',
    approved: 'CODING',
    merge_returned: 'CODING',
    allowed: 'VERIFYING',
    ...waiting,
  },
  PAUSED: { unpaused: 'ORIGIN', ...ending },
  DONE: {},
  STUCK: { retried: 'QUEUED', cancelled: 'CANCELLED' },
  INFRA_ERROR: { retried: 'QUEUED', cancelled: 'CANCELLED' },
  REJECTED: { retried: 'QUEUED', cancelled: 'CANCELLED' },
  NO_CHANGE: { retried: 'QUEUED', accepted: 'DONE' },
  CANCELLED: { retried: 'QUEUED' },
  DROPPED: {},
}

/** The states in which an editor or the verifier works in the story's slot. */
const workingStates: readonly StoryState[] = ['SETUP', 'PLANNING', 'CODING', 'VERIFYING']

const pairs = storyStates.flatMap((state) => storyEvents.map((event) => [state, event] as const))

const transitions = pairs.flatMap(([state, event]) => {
  const next = storyTable[state][event]
  return next ? [{ name: `${state} ${event}`, from: state, event, to: next.state, effects: next.effects }] : []
})

describe('the story machine', () => {
  test('answers every event in every state as its table says', () => {
    const table = storyStates.map((state) => [
      state,
      Object.fromEntries(Object.entries(storyTable[state]).map(([event, next]) => [event, next.state])),
    ])
    expect(Object.fromEntries(table)).toEqual(expected)
  })

  test('has a row for every state and none for another', () => {
    expect(Object.keys(storyTable).sort()).toEqual([...storyStates].sort())
  })

  test('takes each transition of the table and no other, wherever the story comes from', () => {
    for (const origin of storyStates) {
      for (const [state, event] of pairs) {
        const to = expected[state][event] ?? null
        const next = to === 'ORIGIN' ? origin : to
        expect(transition(state, event, origin)?.state ?? null, `${state} ${event} from ${origin}`).toBe(next)
      }
    }
  })

  test('goes nowhere when it is to go back and did not come from anywhere', () => {
    const back = transitions.filter(({ to }) => to === 'ORIGIN')
    expect(back.map(({ name }) => name)).toEqual([
      'SETUP workspace_back',
      'QUESTION answered',
      'BUDGET_REVIEW approved',
      'BUDGET_REVIEW needs_changes',
      'ESCALATED guided',
      'ESCALATED reopened',
      'PAUSED unpaused',
    ])
    expect(back.map(({ from, event }) => transition(from, event))).toEqual(back.map(() => null))
  })

  test('never leaves DONE', () => {
    expect(storyEvents.map((event) => transition('DONE', event))).toEqual(storyEvents.map(() => null))
  })

  test('ends in DONE, STUCK, INFRA_ERROR, REJECTED, NO_CHANGE, CANCELLED and DROPPED, and can be retried from all but the first and the last', () => {
    expect(endStates).toEqual(['DONE', 'STUCK', 'INFRA_ERROR', 'REJECTED', 'NO_CHANGE', 'CANCELLED', 'DROPPED'])
    expect(storyStates.filter((state) => transition(state, 'retried')?.state === 'QUEUED')).toEqual(
      endStates.slice(1, -1),
    )
  })

  test('can be cancelled in every state that is not an end', () => {
    const going = storyStates.filter((state) => !endStates.includes(state))
    expect(going.map((state) => transition(state, 'cancelled')?.state)).toEqual(going.map(() => 'CANCELLED'))
  })

  test('reaches every state from QUEUED, and an end from every state', () => {
    expect(reachableFrom('QUEUED')).toEqual(new Set(storyStates))
    for (const state of storyStates) {
      expect(endStates.some((end) => reachableFrom(state).has(end))).toBe(true)
    }
  })

  test('never hands a slot over in which an editor or the verifier works', () => {
    const handing = storyStates.filter((state) => transition(state, 'workspace_wanted'))
    // Work that a budget has stopped continues where it is.
    const idle = ['QUEUED', 'BLOCKED', 'PAUSED', ...endStates]
    expect(handing).toEqual(storyStates.filter((state) => !workingStates.includes(state) && !idle.includes(state)))
  })
})

/** The states that start with an action, and that action. */
const startsWith: Partial<Record<StoryState, StoryEffect>> = {
  SETUP: 'set_up_workspace',
  VERIFYING: 'verify',
  PLAN_REVIEW: 'open_request',
  CODE_REVIEW: 'open_request',
  COMPLETION_REVIEW: 'open_request',
  ACCEPTANCE_REVIEW: 'open_request',
  QUESTION: 'open_request',
  BUDGET_REVIEW: 'open_request',
  MERGING: 'join_merge_queue',
  ESCALATED: 'ask_human',
}

describe('a transition of a story', () => {
  test('does what its new state starts with, and nothing beside it', () => {
    const started = transitions.flatMap((one) => {
      const start = one.to === 'ORIGIN' ? undefined : startsWith[one.to]
      return start ? [{ ...one, start }] : []
    })
    expect(new Set(started.map(({ to }) => to))).toEqual(new Set(Object.keys(startsWith)))
    for (const { name, effects, start, event } of started) {
      // The acceptance stops the editor who works on the review, and the review continues from its
      // earlier state.
      const own: Partial<Record<StoryEvent, readonly StoryEffect[]>> = {
        findings_accepted: ['halt_editor', 'reopen_request'],
        // The editor's call was answered, and the editor waits for the architect.
        flaky_verdicts: ['hold_editor', start],
        // The story's own step commits the change again before it is verified.
        allowed: ['verify_again'],
      }
      const again = name === 'ACCEPTANCE_REVIEW approved' ? (['verify_again'] as const) : undefined
      expect(effects, name).toEqual(own[event] ?? again ?? [start])
    }
  })

  test('into PLANNING or CODING opens a lane, or continues the open one', () => {
    const into = transitions.filter(({ to }) => to === 'PLANNING' || to === 'CODING')
    expect(Object.fromEntries(into.map(({ name, effects }) => [name, effects]))).toEqual({
      'SETUP workspace_ready': ['open_planning'],
      'SETUP ready_to_code': ['open_unplanned'],
      'PLANNING workspace_restored': ['wake_agents'],
      'CODING workspace_restored': ['wake_agents'],
      'PLANNING plan_submitted': ['open_coding'],
      'PLAN_REVIEW approved': ['open_coding'],
      'PLAN_REVIEW needs_changes': ['resume_editor'],
      'VERIFYING slice_passed': ['resume_editor'],
      'VERIFYING failed': ['resume_editor'],
      'VERIFYING replan': ['open_planning'],
      'VERIFYING start_over': ['open_unplanned'],
      'CODE_REVIEW needs_changes': ['resume_editor'],
      'COMPLETION_REVIEW needs_changes': ['resume_editor'],
      'ACCEPTANCE_REVIEW needs_changes': ['resume_editor'],
      'VERIFYING criteria_unmet': ['resume_editor'],
      'MERGING merge_returned': ['resume_editor'],
      'ESCALATED approved': ['open_coding'],
      'ESCALATED merge_returned': ['resume_editor'],
    })
  })

  test('back to its origin continues there: the editor, another round of the review, or the waiting work', () => {
    const back = transitions.filter(({ to }) => to === 'ORIGIN')
    expect(Object.fromEntries(back.map(({ name, effects }) => [name, effects]))).toEqual({
      'SETUP workspace_back': [],
      'QUESTION answered': ['resume_editor'],
      'BUDGET_REVIEW approved': ['resume_editor'],
      'BUDGET_REVIEW needs_changes': ['resume_editor'],
      'ESCALATED guided': ['resume_editor'],
      'ESCALATED reopened': ['reopen_request'],
      'PAUSED unpaused': [],
    })
  })

  test('gives the slot up exactly when the story comes to an end from work', () => {
    for (const { name, from, to, effects } of transitions) {
      const isEnd = to !== 'ORIGIN' && endStates.includes(to) && !endStates.includes(from)
      expect(effects.includes('release_slot'), name).toBe(isEnd)
    }
  })

  test('writes a stuck report with every STUCK, INFRA_ERROR and REJECTED, and a summary with every DONE and NO_CHANGE', () => {
    // An accepted story has its summary already.
    for (const { name, to, effects } of transitions.filter(({ event }) => event !== 'accepted')) {
      const isStuck = to === 'STUCK' || to === 'INFRA_ERROR' || to === 'REJECTED'
      expect(effects.includes('write_stuck_report'), name).toBe(isStuck)
      expect(effects.includes('write_summary'), name).toBe(to === 'DONE' || to === 'NO_CHANGE')
    }
  })
})

/** Without returns, since every ORIGIN is an earlier state. */
function reachableFrom(start: StoryState): ReadonlySet<StoryState> {
  const reached = new Set<StoryState>([start])
  for (const state of reached) {
    for (const { from, to } of transitions) if (from === state && to !== 'ORIGIN') reached.add(to)
  }
  return reached
}
