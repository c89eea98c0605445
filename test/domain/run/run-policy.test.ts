import { expect, test } from 'vitest'
import { policyFor } from '../../../src/domain/run/run-policy.ts'

test('a spec and its interview have an architect, and named stories with their own slots that are merged', () => {
  for (const kind of ['spec', 'interview'] as const)
    expect(policyFor({ kind })).toEqual({
      stories: 'named',
      planReviewer: 'architect',
      reviewer: 'architect',
      slot: 'story',
      result: 'merged',
      acceptance: 'usual',
    })
})

const alone = { stories: 'one', slot: 'run', result: 'handed_over' }

test('any other Run is one piece of work in its own slot, without a reviewer, that is handed over at its end', () => {
  for (const kind of ['task', 'verify', 'scout'] as const)
    expect(policyFor({ kind })).toEqual({ ...alone, planReviewer: null, reviewer: null, acceptance: 'unusual' })
})

test('tests that no editor sees are usual for a spec, and asked for with a task', () => {
  expect(policyFor({ kind: 'task', testsWritten: true })).toMatchObject({ acceptance: 'asked', reviewer: null })
})

test('the reviewers of plan and change of a task are chosen separately; a person comes before the architect', () => {
  const kind = 'task'
  expect(policyFor({ kind, reviewed: true })).toMatchObject({ planReviewer: 'architect', reviewer: 'architect' })
  expect(policyFor({ kind, planReviewed: true })).toMatchObject({ planReviewer: 'human', reviewer: null })
  const both = policyFor({ kind, reviewed: true, planReviewed: true })
  expect(both).toMatchObject({ planReviewer: 'human', reviewer: 'architect' })
})
