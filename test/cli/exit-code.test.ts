import { expect, test } from 'vitest'
import { exitCodeOf, waitingForHuman } from '../../src/domain/run/exit-code.ts'
import type { Result, StoryResult } from '../../src/domain/run/result.ts'

function result(status: Result['status'], ...states: readonly StoryResult['state'][]): Result {
  const stories = states.map((state, i): StoryResult => ({ id: `story-${i}`, state, run_id: null, attempts: 1 }))
  return { status, kind: 'spec', branch: null, base: null, stories, tokens: 0, cost_usd: 0 }
}

test('reaching a budget has its own exit code, whatever the result of other stories', () => {
  expect(exitCodeOf(result('PAUSED', 'DONE', 'PAUSED', 'CANCELLED'))).toBe(7)
})

test('a run that a human has paused waits for a human', () => {
  expect(exitCodeOf({ ...result('PAUSED', 'PAUSED'), paused_by: 'user', paused: [] })).toBe(6)
  expect(exitCodeOf({ ...result('PAUSED', 'PAUSED'), paused_by: 'budget' })).toBe(7)
})

test('a spec is done when all of it is built, and 3 when a story was skipped', () => {
  expect(exitCodeOf(result('DONE', 'DONE', 'DONE'))).toBe(0)
  expect(exitCodeOf(result('DONE', 'DONE', 'CANCELLED'))).toBe(3)
  expect(exitCodeOf(result('DONE'))).toBe(0)
})

test('every other end has its code', () => {
  expect((['STUCK', 'INFRA_ERROR', 'ERROR', 'CANCELLED'] as const).map((status) => exitCodeOf(result(status)))).toEqual(
    [3, 4, 4, 5],
  )
  expect(exitCodeOf(waitingForHuman)).toBe(6)
})
