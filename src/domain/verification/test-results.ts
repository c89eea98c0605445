import type { TestCounts } from './tests-seen.ts'

export type TestOutcome = 'passed' | 'failed' | 'skipped'

/**
 * `id` is the file (relative to the repository), the suites and the name, joined with ` > `, as far
 * as the runner tells them: the same in every run and on every machine. The second test of the same
 * id ends in ` #2`. Printable text of at most `limits.testReport.idChars`.
 */
export interface TestResult {
  readonly id: string
  readonly outcome: TestOutcome
  /**
   * Of a failed test: the first lines of what its runner said, where the reader found them; at most
   * `limits.testReport.failureChars`. Left out by older versions.
   */
  readonly failure?: string
  /**
   * It stands for a file, suite or package that could not be loaded or built: no test of it ran.
   */
  readonly notLoaded?: true
  /**
   * In a report that is not complete: its runner named each of its tests, so a later report without
   * this id says something.
   */
  readonly whole?: true
  /** Of several runs: the runner that named it, where that is not the report's. */
  readonly runner?: TestRunner
  /** It was only printed, beside a JUnit file: it never stands for a test of such a file. */
  readonly printed?: true
}

/** The tests themselves: without what could not be loaded. */
export function testsThatRan(report: TestReport | null): readonly TestResult[] {
  return report === null ? [] : report.tests.filter(({ notLoaded }) => notLoaded !== true)
}

/** Ids of the tests that passed. */
export function passedIds(report: TestReport | null | undefined): readonly string[] {
  return report?.tests.flatMap(({ id, outcome }) => (outcome === 'passed' ? [id] : [])) ?? []
}

/** How many tests were executed; null where neither the runner nor its names say so. */
export function howManyRan(report: TestReport | null): number | null {
  if (report === null) return null
  const { counts } = report
  // Some count what could not be loaded as a test.
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
  /** Nothing but the totals of a runner that names no tests. */
  | 'totals'

/**
 * The runner of the tests. `junit` and `tap` where their text does not name the program that wrote
 * it.
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
  /** A program that is its own runner, and prints how many of its tests passed. */
  | 'its own program'

/** The runs of a runner that counts its tests without naming each of them. */
export interface UnnamedRun {
  readonly runner: TestRunner
  /** Null where it does not count them, either, or has only repeated an earlier result. */
  readonly tests: number | null
  /** How many of them were executed; left out where `tests` is null. */
  readonly ran?: number
}

/** The tests that one verification step reported. */
export interface TestReport {
  /** Of several that one step printed, the one that named most. */
  readonly format: TestReportFormat
  /** Left out by older versions: then the format is all that is known. */
  readonly runner?: TestRunner
  /** In the order in which they were found; no id twice. */
  readonly tests: readonly TestResult[]
  /**
   * Whether every test that was executed is named. Where it is false some are missing, or an id
   * stands for a file of tests: then an id that is not here says nothing, and neither does one of a
   * whole file say what became of the tests in it.
   */
  readonly complete: boolean
  /** How many the runner itself says there were, where it says so and names fewer. */
  readonly counts?: TestCounts
  /** Which runs are not named test by test; left out where `complete` is true. */
  readonly unnamed?: readonly UnnamedRun[]
  /** A task runner said that it repeats an earlier result instead of running some of the tests. */
  readonly replayed?: true
  /**
   * Whether there were more tests, or longer ids, than are kept; the list is not complete then,
   * either.
   */
  readonly truncated: boolean
}
