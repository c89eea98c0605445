/** Numbers of tests by result. */
export interface TestCounts {
  /** All tests except skipped ones; left out by older versions. */
  readonly ran?: number
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

/** The sum of the counts of several steps; null when no step reported any. */
export function sumOfTests(counts: readonly (TestCounts | null | undefined)[]): Required<TestCounts> | null {
  const known = counts.filter((each) => each != null)
  if (known.length === 0) return null
  const sum = (what: 'passed' | 'failed' | 'skipped') => known.reduce((all, each) => all + each[what], 0)
  const [passed, failed, skipped] = [sum('passed'), sum('failed'), sum('skipped')]
  return { ran: passed + failed, passed, failed, skipped }
}

/**
 * The remark on a PASS that proves little: a runner reported that no test ran, or nobody could read
 * if any did. Null when tests are known to have run.
 */
export function testsRemark(tests: TestCounts | null | undefined): string | null {
  if (tests == null) return 'no test results were read'
  return tests.passed + tests.failed === 0 ? '0 tests ran' : null
}
