import { expect, test } from 'vitest'
import { policyFor } from '../../../src/domain/run/run-policy.ts'

test('a spec and its interview have an architect, and named stories with slots of their own that are merged', () => {
  for (const kind of ['spec', 'interview'] as const)
    expect(policyFor({ kind })).toEqual({
      ...{ stories: 'named', reviewer: 'architect', slot: 'story', result: 'merged' },
    })
})

test('any other Run is one piece of work in a slot of its own, without a reviewer, that is handed over at its end', () => {
  for (const kind of ['task', 'verify', 'scout'] as const)
    expect(policyFor({ kind })).toEqual({ stories: 'one', reviewer: null, slot: 'run', result: 'handed_over' })
})
