/** How many tests ran, and what became of them. */
export interface TestCounts {
  /** All but those that were skipped; left out by older versions. */
  readonly ran?: number
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

/** The sum of what several steps said; null when none of them said anything. */
export function sumOfTests(counts: readonly (TestCounts | null | undefined)[]): Required<TestCounts> | null {
  const known = counts.filter((each) => each != null)
  if (known.length === 0) return null
  const sum = (what: 'passed' | 'failed' | 'skipped') => known.reduce((all, each) => all + each[what], 0)
  const [passed, failed, skipped] = [sum('passed'), sum('failed'), sum('skipped')]
  return { ran: passed + failed, passed, failed, skipped }
}

/**
 * What has to be said beside a PASS, for then it proves little: that a test runner reported no test
 * that ran, or that nobody could read whether any did. null where tests are known to have run.
 */
export function testsRemark(tests: TestCounts | null | undefined): string | null {
  if (tests == null) return 'no test results were read'
  return tests.passed + tests.failed === 0 ? '0 tests ran' : null
}
