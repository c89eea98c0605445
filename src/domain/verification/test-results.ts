import type { TestCounts } from './tests-seen.ts'

export type TestOutcome = 'passed' | 'failed' | 'skipped'

/**
 * `id` is the file (relative to the repository), the suites and the name, joined with ` > `, as far
 * as the runner gives them. An id is the same in every run and on every machine. The second test of
 * the same id ends in ` #2`. Printable text of at most `limits.testReport.idChars`.
 */
export interface TestResult {
  readonly id: string
  readonly outcome: TestOutcome
  /**
   * For a failed test, the first lines of its runner's message, if the reader found them; at most
   * `limits.testReport.failureChars`. Left out by older versions.
   */
  readonly failure?: string
  /**
   * True if the entry stands for a file, suite or package that could not be loaded or built: no
   * test of it ran.
   */
  readonly notLoaded?: true
  /**
   * Set in an incomplete report if the runner named each of its tests, so that a missing id in a
   * later report is meaningful.
   */
  readonly whole?: true
  /** In a report of several runs, the runner that named the test, if it is not the report's. */
  readonly runner?: TestRunner
  /**
   * True if the test was only printed, beside a JUnit file: it never stands for a test of such a
   * file.
   */
  readonly printed?: true
}

/** The tests themselves, without entries for files that could not be loaded. */
export function testsThatRan(report: TestReport | null): readonly TestResult[] {
  return report === null ? [] : report.tests.filter(({ notLoaded }) => notLoaded !== true)
}

/** Ids of the tests that passed. */
export function passedIds(report: TestReport | null | undefined): readonly string[] {
  return report?.tests.flatMap(({ id, outcome }) => (outcome === 'passed' ? [id] : [])) ?? []
}

/** The number of executed tests; null if neither the runner nor the names say so. */
export function howManyRan(report: TestReport | null): number | null {
  if (report === null) return null
  const { counts } = report
  // Some runners count a file that could not be loaded as a test.
  if (counts) return Math.max(0, counts.passed + counts.failed - (report.tests.length - testsThatRan(report).length))
  return report.complete ? testsThatRan(report).filter(({ outcome }) => outcome !== 'skipped').length : null
}

export type TestReportFormat =
  | 'junit'
  | 'tap'
  | 'node'
  | 'vitest'
  | 'jest'
  | 'pytest'
  | 'unittest'
  | 'go'
  | 'cargo'
  | 'mocha'
  | 'ava'
  /** Only the totals of a runner that names no tests. */
  | 'totals'

/**
 * The runner of the tests; `junit` and `tap` if the text does not name the program that wrote it.
 */
export type TestRunner =
  | Exclude<TestReportFormat, 'totals'>
  | 'nextest'
  | 'uvu'
  | 'bun'
  | 'deno'
  | 'jasmine'
  | 'playwright'
  | 'rspec'
  | 'minitest'
  | 'phpunit'
  | 'surefire'
  | 'ctest'
  | 'googletest'
  | 'dotnet'
  | 'exunit'
  | 'shunit2'
  /** A program without a runner, which prints the number of its passed tests. */
  | 'its own program'

/** The runs of a runner that counts its tests without naming each of them. */
export interface UnnamedRun {
  readonly runner: TestRunner
  /** Null if the runner does not count them either, or only repeated an earlier result. */
  readonly tests: number | null
  /** Number of them that were executed; left out if `tests` is null. */
  readonly ran?: number
}

/** The tests that one verification step reported. */
export interface TestReport {
  /** The format; if one step printed several, the one that named most tests. */
  readonly format: TestReportFormat
  /** Left out by older versions, which know only the format. */
  readonly runner?: TestRunner
  /** Tests in the order in which they were found; no id appears twice. */
  readonly tests: readonly TestResult[]
  /**
   * True if every executed test is named. If false, some are missing, or an id stands for a file of
   * tests: then a missing id says nothing, and the id of a whole file says nothing about its tests.
   */
  readonly complete: boolean
  /** The runner's own totals, if it prints them and names fewer tests. */
  readonly counts?: TestCounts
  /** Runs without test names; left out if `complete` is true. */
  readonly unnamed?: readonly UnnamedRun[]
  /** True if a task runner repeated an earlier result instead of running some of the tests. */
  readonly replayed?: true
  /**
   * True if there were more tests, or longer ids, than are kept; then the list is incomplete, too.
   */
  readonly truncated: boolean
}
