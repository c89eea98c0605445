import { describe, expect, test } from 'vitest'
import {
  endedRunStates,
  type RunEvent,
  type RunState,
  type RunTarget,
  runEvents,
  runStates,
  runTable,
  runTransition,
} from '../../src/domain/run/run-machine.ts'

type Row = Partial<Record<RunEvent, RunTarget>>

const anywhere: Row = { cancelled: 'CANCELLED', failed: 'ERROR' }
const going: Row = { paused: 'PAUSED', ...anywhere }

/**
 * The table of docs/state-machines.md, written again by hand; an event that is missing here changes
 * nothing.
 */
const expected: Readonly<Record<RunState, Row>> = {
  WAITING: {
    interview_started: 'INTERVIEW',
    scoping_started: 'SCOPING',
    started: 'MONITORING',
    approval_needed: 'AWAIT_APPROVAL',
    ...going,
  },
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
  MONITORING: { done: 'DONE', stuck: 'STUCK', infra_error: 'INFRA_ERROR', unchanged: 'NO_CHANGE', ...going },
  ESCALATED: { guided: 'ORIGIN', ...going },
  PAUSED: { unpaused: 'ORIGIN', ...anywhere },
  DONE: { queued_again: 'WAITING' },
  STUCK: { queued_again: 'WAITING', cancelled: 'CANCELLED' },
  INFRA_ERROR: { queued_again: 'WAITING', cancelled: 'CANCELLED' },
  NO_CHANGE: { queued_again: 'WAITING', accepted: 'DONE' },
  TOO_VAGUE: {},
  CANCELLED: { queued_again: 'WAITING' },
  ERROR: { ending: 'MONITORING', resumed: 'ORIGIN', queued_again: 'WAITING', ...anywhere },
}

/** The states after each of these events, from WAITING. */
function path(...events: RunEvent[]): readonly RunState[] {
  const states: RunState[] = ['WAITING']
  for (const event of events) {
    const [before, now] = [states.at(-2) ?? null, states.at(-1) ?? 'WAITING']
    const next = runTransition(now, event, before)
    if (next === null) throw new Error(`${now} knows no ${event}`)
    states.push(next)
  }
  return states.slice(1)
}

describe('the Run machine', () => {
  test('answers every event in every state as its table says', () => {
    expect(runTable).toEqual(expected)
  })

  test('takes each transition of the table and no other, wherever the Run comes from', () => {
    for (const origin of [null, ...runStates]) {
      for (const state of runStates) {
        for (const event of runEvents) {
          const to = expected[state][event] ?? null
          const next = to === 'ORIGIN' ? origin : to
          expect(runTransition(state, event, origin), `${state} ${event} from ${origin}`).toBe(next)
        }
      }
    }
  })

  test('leads a spec through scoping, stories and, when wanted, their approval', () => {
    expect(path('scoping_started', 'scoped', 'started', 'done')).toEqual([
      'SCOPING',
      'STORY_GENERATION',
      'MONITORING',
      'DONE',
    ])
    expect(
      path('scoping_started', 'scoped', 'approval_needed', 'changes_wanted', 'approval_needed', 'approved'),
    ).toEqual(['SCOPING', 'STORY_GENERATION', 'AWAIT_APPROVAL', 'STORY_GENERATION', 'AWAIT_APPROVAL', 'MONITORING'])
  })

  test('leads a task, and a plan that is there already, past the architect', () => {
    expect(path('started', 'done')).toEqual(['MONITORING', 'DONE'])
    expect(path('approval_needed', 'approved')).toEqual(['AWAIT_APPROVAL', 'MONITORING'])
  })

  test('ends with the stories when only the plan is asked for', () => {
    expect(path('scoping_started', 'scoped', 'stories_listed').at(-1)).toBe('DONE')
  })

  test('goes back from ESCALATED and from ERROR to where it was', () => {
    expect(path('scoping_started', 'escalated', 'guided').at(-1)).toBe('SCOPING')
    expect(path('scoping_started', 'scoped', 'escalated', 'guided').at(-1)).toBe('STORY_GENERATION')
    expect(path('started', 'failed', 'resumed').at(-1)).toBe('MONITORING')
  })

  test('is PAUSED from every working or waiting state, and returns to it', () => {
    const going = runStates.filter((state) => ![...endedRunStates, 'ERROR', 'PAUSED'].includes(state))
    expect(runStates.filter((state) => runTable[state].paused)).toEqual(going)
    expect(going.map((state) => runTransition('PAUSED', 'unpaused', state))).toEqual(going)
  })

  test('asks a human only in the three states in which the architect works', () => {
    expect(runStates.filter((state) => runTable[state].escalated)).toEqual(['INTERVIEW', 'SCOPING', 'STORY_GENERATION'])
  })

  test('is cancelled and fails in every state that is not an end, and is queued again from every end but TOO_VAGUE', () => {
    const going = runStates.filter((state) => !endedRunStates.includes(state))
    expect(endedRunStates).toEqual(['DONE', 'STUCK', 'INFRA_ERROR', 'NO_CHANGE', 'TOO_VAGUE', 'CANCELLED'])
    expect(runStates.filter((state) => runTable[state].failed)).toEqual(going)
    expect(going.filter((state) => !runTable[state].cancelled)).toEqual([])
    expect(runStates.filter((state) => runTable[state].queued_again)).toEqual([
      ...endedRunStates.filter((state) => state !== 'TOO_VAGUE'),
      'ERROR',
    ])
  })
})
