import { limits } from '../../domain/limits.ts'
import type { TestOutcome, TestReportFormat } from '../../domain/test-results.ts'
import type { TestCounts } from '../../domain/tests-seen.ts'

/** What one reader understood, in the runner's own words: not cleaned, not capped, the same test perhaps twice. */
export interface FoundTests {
  readonly format: TestReportFormat
  readonly tests: readonly FoundTest[]
  /** Whether every executed test is among them. */
  readonly complete: boolean
  /** The runner's own totals, where they say more than its tests. */
  readonly counts?: TestCounts
}

export interface FoundTest {
  /** File, suites, name; as much of it as the format has. */
  readonly path: readonly string[]
  readonly outcome: TestOutcome
}

/** Null when the lines are not of its format. */
export type ReadLines = (lines: readonly string[]) => FoundTests | null

/** Adds a test, unless there are more than a report keeps: one more says that there were. */
export function keep(tests: FoundTest[], test: FoundTest): void {
  if (tests.length <= limits.testReport.tests) tests.push(test)
}
