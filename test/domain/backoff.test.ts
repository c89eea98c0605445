import { expect, test } from 'vitest'
import { backoffMs } from '../../src/domain/backoff.ts'

const pauses = { firstPauseMs: 1_000, longestPauseMs: 5_000 }

test('a pause doubles with each failure, up to the longest', () => {
  expect([1, 2, 3, 4, 400].map((failures) => backoffMs(pauses, failures, 1))).toEqual([
    1_000, 2_000, 4_000, 5_000, 5_000,
  ])
})

test('a pause is spread over its second half, so that it is never left out', () => {
  expect([0, 0.5, 1].map((random) => backoffMs(pauses, 2, random))).toEqual([1_000, 1_500, 2_000])
})
