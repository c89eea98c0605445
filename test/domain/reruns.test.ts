import fc from 'fast-check'
import { expect, test } from 'vitest'
import { failingIn, flakyIn } from '../../src/domain/verification/reruns.ts'
import type { TestOutcome, TestReport } from '../../src/domain/verification/test-results.ts'

const report = (tests: Readonly<Record<string, TestOutcome>>): TestReport => ({
  format: 'vitest',
  complete: true,
  truncated: false,
  tests: Object.entries(tests).map(([id, outcome]) => ({ id, outcome })),
})

test('a test that failed once and passed once is flaky, in either order', () => {
  const first = report({ a: 'failed', b: 'passed', c: 'failed', d: 'passed' })
  const second = report({ a: 'passed', b: 'failed', c: 'failed', d: 'passed' })
  expect(flakyIn(first, second, { isGreen: false })).toEqual({ flaky: ['a', 'b'], broken: ['c'] })
})

test('a green second run shows all failures of the first to be flaky, though it names none', () => {
  expect(flakyIn(report({ a: 'failed' }), null, { isGreen: true })).toEqual({ flaky: ['a'], broken: [] })
})

test('a test that was never green is broken: skipped or missing in the second run is not passed', () => {
  const first = report({ a: 'failed', b: 'failed' })
  expect(flakyIn(first, report({ a: 'skipped' }), { isGreen: false })).toEqual({ flaky: [], broken: ['a', 'b'] })
  expect(flakyIn(first, null, { isGreen: false })).toEqual({ flaky: [], broken: ['a', 'b'] })
  expect(flakyIn(null, first, { isGreen: false })).toEqual({ flaky: [], broken: ['a', 'b'] })
})

test('every failure of two runs is either flaky or broken, and nothing else is', () => {
  const reports = fc.dictionary(
    fc.constantFrom('a', 'b', 'c', 'd'),
    fc.constantFrom<TestOutcome>('passed', 'failed', 'skipped'),
  )
  fc.assert(
    fc.property(reports, reports, (one, two) => {
      const [first, second] = [report(one), report(two)]
      const { flaky, broken } = flakyIn(first, second, { isGreen: false })
      expect([...flaky, ...broken].toSorted()).toEqual(
        [...new Set([...failingIn(first), ...failingIn(second)])].toSorted(),
      )
    }),
  )
})
