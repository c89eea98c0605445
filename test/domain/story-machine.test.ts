import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { stateMachinesDoc, withStoryTable } from '../../scripts/state-machines.ts'
import {
  endStates,
  type StoryEvent,
  type StoryState,
  storyEvents,
  storyStates,
  storyTable,
  transition,
} from '../../src/domain/story-machine.ts'

/** What the contracts say of a task's story; an event that is not named here changes nothing. */
const expected: Readonly<Record<StoryState, Partial<Record<StoryEvent, StoryState>>>> = {
  QUEUED: { slot_assigned: 'SETUP', cancelled: 'CANCELLED' },
  SETUP: { workspace_ready: 'PLANNING', infra_error: 'INFRA_ERROR', cancelled: 'CANCELLED' },
  PLANNING: { plan_submitted: 'CODING', lane_stopped: 'STUCK', infra_error: 'INFRA_ERROR', cancelled: 'CANCELLED' },
  CODING: {
    change_submitted: 'VERIFYING',
    change_previewed: 'DONE',
    lane_stopped: 'STUCK',
    infra_error: 'INFRA_ERROR',
    cancelled: 'CANCELLED',
  },
  VERIFYING: {
    passed: 'DONE',
    slice_passed: 'CODING',
    failed: 'CODING',
    replan: 'PLANNING',
    hard_stop: 'STUCK',
    infra_error: 'INFRA_ERROR',
    cancelled: 'CANCELLED',
  },
  DONE: {},
  STUCK: { retried: 'QUEUED', cancelled: 'CANCELLED' },
  INFRA_ERROR: { retried: 'QUEUED', cancelled: 'CANCELLED' },
  CANCELLED: { retried: 'QUEUED' },
}

const pairs = storyStates.flatMap((state) => storyEvents.map((event) => [state, event] as const))

describe('the story machine', () => {
  test('answers every event in every state as the contracts say', () => {
    for (const [state, event] of pairs) {
      expect(transition(state, event)?.state ?? null, `${state} ${event}`).toBe(expected[state][event] ?? null)
    }
  })

  test('has a row for every state and none for another', () => {
    expect(Object.keys(storyTable).sort()).toEqual([...storyStates].sort())
  })

  test('never leaves DONE', () => {
    expect(storyEvents.map((event) => transition('DONE', event))).toEqual(storyEvents.map(() => null))
  })

  test('ends in DONE, STUCK, INFRA_ERROR and CANCELLED, and can be retried from all but the first', () => {
    expect(endStates).toEqual(['DONE', 'STUCK', 'INFRA_ERROR', 'CANCELLED'])
    expect(endStates.filter((state) => transition(state, 'retried'))).toEqual(['STUCK', 'INFRA_ERROR', 'CANCELLED'])
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

  test('gives the slot up exactly when it comes to an end from work', () => {
    for (const [state, event] of pairs) {
      const next = transition(state, event)
      const isEnd = endStates.includes(next?.state ?? state) && !endStates.includes(state)
      if (next) expect(next.effects.includes('release_slot'), `${state} ${event}`).toBe(isEnd)
    }
  })

  test('writes a stuck report with every STUCK and INFRA_ERROR, and a summary with every DONE', () => {
    for (const [state, event] of pairs) {
      const next = transition(state, event)
      if (!next) continue
      const stuck = next.state === 'STUCK' || next.state === 'INFRA_ERROR'
      expect(next.effects.includes('write_stuck_report'), `${state} ${event}`).toBe(stuck)
      expect(next.effects.includes('write_summary'), `${state} ${event}`).toBe(next.state === 'DONE')
    }
  })
})

test('docs/state-machines.md holds the table of the code; `node scripts/state-machines.ts` makes it', async () => {
  const doc = await readFile(stateMachinesDoc, 'utf8')
  expect(withStoryTable(doc)).toBe(doc)
  for (const [state, event] of pairs) {
    const next = transition(state, event)
    expect(doc.includes(`| ${state} | ${event} |`)).toBe(next !== null)
  }
})

function reachableFrom(start: StoryState): ReadonlySet<StoryState> {
  const reached = new Set<StoryState>([start])
  for (const state of reached) {
    for (const event of storyEvents) {
      const next = transition(state, event)
      if (next) reached.add(next.state)
    }
  }
  return reached
}
