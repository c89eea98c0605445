import type { TestCounts } from './tests-seen.ts'

export type TestOutcome = 'passed' | 'failed' | 'skipped'

/**
 * `id` is the file (relative to the repository), the suites and the name, joined with ` > `, as far as the runner tells them: the same in every run and on
 * every machine. The second test of the same id ends in ` #2`. Printable text of at most `limits.testReport.idChars`.
 */
export interface TestResult {
  readonly id: string
  readonly outcome: TestOutcome
  /** Of a failed test: the first lines of what its runner said, where the reader found them; at most `limits.testReport.failureChars`. Left out by older versions. */
  readonly failure?: string
}

export type TestReportFormat = 'junit' | 'tap' | 'node' | 'vitest' | 'jest' | 'pytest' | 'unittest' | 'go' | 'cargo'

/** What ran the tests; `junit` and `tap` where their text does not tell who wrote it. */
export type TestRunner = TestReportFormat | 'mocha' | 'nextest'

/** What one verification step says of its tests. */
export interface TestReport {
  /** Of several that one step printed, the one that named most. */
  readonly format: TestReportFormat
  /** Left out by older versions: then the format is all that is known. */
  readonly runner?: TestRunner
  /** In the order in which they were found; no id twice. */
  readonly tests: readonly TestResult[]
  /**
   * Whether every test that was executed is named. Where it is false some are missing, or an id stands for a file of tests: then an id that is not here says nothing,
   * and neither does one of a whole file say what became of the tests in it.
   */
  readonly complete: boolean
  /** How many the runner itself says there were, where it says so and names fewer. */
  readonly counts?: TestCounts
  /** Whether there were more tests, or longer ids, than are kept; the list is not complete then, either. */
  readonly truncated: boolean
}
