import { expect, test } from 'vitest'
import type { AttemptRecord, AttemptVerdict } from '../../src/domain/bench/attempt-record.ts'
import { summarizeArms } from '../../src/domain/bench/summarize.ts'
import { wilson } from '../../src/domain/bench/wilson.ts'

/** From the published formula, calculated by hand. */
test.each([
  [0, 10, 0, 0.2775],
  [5, 10, 0.2366, 0.7634],
  [10, 10, 0.7225, 1],
  [81, 263, 0.2553, 0.3662],
])('of %i in %i the interval is known', (hits, of, low, high) => {
  const interval = wilson(hits, of)
  expect(interval?.low).toBeCloseTo(low, 4)
  expect(interval?.high).toBeCloseTo(high, 4)
})

test('without an attempt there is no interval', () => {
  expect(wilson(0, 0)).toBeNull()
})

test('an attempt in which nothing was measured counts in no rate, and its cost counts', () => {
  const record = (verdict: AttemptVerdict, cost_usd: number | null): AttemptRecord => ({
    ...{ task: 'a', arm: 'crew', repeat: 1, play: null, verdict, outcome: 'DONE', delivered: true, hidden: [] },
    ...{ questions: 1, returns: 2, cost_usd, tokens: 10, wall_ms: 1_000, base: 'b', commit: 'c' },
  })
  const [crew] = summarizeArms([record('resolved', 1), record('false_pass', 2), record('error', 3)])
  expect(crew).toMatchObject({
    ...{ attempts: 2, errors: 1, resolved: { hits: 1, of: 2 }, false_pass: { hits: 1, of: 2 } },
    ...{ false_block: { hits: 0, of: 2 }, cost_usd: 6, cost_usd_per_resolved: 6, tokens: 30, questions: 1, returns: 2 },
  })
  expect(summarizeArms([record('resolved', null)])[0]).toMatchObject({ cost_usd: null, cost_usd_per_resolved: null })
})
