import { expect, test } from 'vitest'
import type { TestReport } from '../../src/domain/verification/test-results.ts'
import { countsOf } from '../../src/gate/test-facts.ts'

const report = (more: Partial<TestReport>): TestReport => ({
  format: 'tap',
  tests: [],
  complete: false,
  truncated: false,
  ...more,
})
const passed = { id: 'adds', outcome: 'passed' } as const

test('numbers of tests are known where a runner has named one, counted them, or named all of none', () => {
  expect(countsOf(null)).toBeNull()
  expect(countsOf(report({}))).toBeNull()
  expect(countsOf(report({ complete: true }))).toEqual({ ran: 0, passed: 0, failed: 0, skipped: 0 })
  expect(countsOf(report({ tests: [passed] }))).toEqual({ ran: 1, passed: 1, failed: 0, skipped: 0 })
  const counts = { passed: 3, failed: 1, skipped: 2 }
  expect(countsOf(report({ tests: [passed], counts }))).toEqual({ ran: 4, ...counts })
})
