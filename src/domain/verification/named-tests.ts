import { type TestReport, type TestResult, type TestRunner, testsThatRan } from './test-results.ts'

const runnerOf = (report: TestReport, test: TestResult): TestRunner | 'totals' =>
  test.runner ?? report.runner ?? report.format

/** Selects the tests of the step's JUnit file: output of a program never replaces them. */
function isOfFileIn(report: TestReport): (test: TestResult) => boolean {
  const hasFile = report.format === 'junit' || report.tests.some(({ printed }) => printed)
  return (test) => hasFile && test.printed !== true
}

/** The tests of a change, prepared for a comparison with those of the base commit. */
export interface NamedTests {
  /** True if the change names the test. */
  readonly has: (test: TestResult) => boolean
  /**
   * True if the change names the test's file or suite, by the same runner, without its single
   * tests.
   */
  readonly isInPlace: (test: TestResult) => boolean
  /** True if the change names each test of the test's run: an unnamed one is gone. */
  readonly isWhole: (test: TestResult) => boolean
  /** True if a new test may be the renamed old one. */
  readonly mayBecome: (test: TestResult, heir: TestResult) => boolean
}

export function namedTests(base: TestReport, change: TestReport): NamedTests {
  const [wasOfFile, isOfFileNow] = [isOfFileIn(base), isOfFileIn(change)]
  const ids = new Set(change.tests.map(({ id }) => id))
  const inFile = new Set(change.tests.filter(isOfFileNow).map(({ id }) => id))
  const standing = change.complete ? [] : change.tests.filter((test) => !test.whole && !isOfFileNow(test))
  const places = new Set(standing.map((test) => `${runnerOf(change, test)} ${test.id}`))
  const partly = new Set(change.unnamed?.map(({ runner }) => runner))
  const wholly = new Set(change.tests.filter(({ whole }) => whole).map((test) => runnerOf(change, test)))
  return {
    has: (test) => (wasOfFile(test) ? inFile : ids).has(test.id),
    isInPlace: (test) =>
      !wasOfFile(test) && placesOf(test.id).some((place) => places.has(`${runnerOf(base, test)} ${place}`)),
    isWhole(test) {
      if (change.complete || change.truncated) return change.complete
      if (wasOfFile(test)) return inFile.size > 0
      const runner = runnerOf(base, test)
      return wholly.has(runner) && !partly.has(runner as TestRunner)
    },
    mayBecome: (test, heir) => !wasOfFile(test) || isOfFileNow(heir),
  }
}

/**
 * The number of tests that each runner executed, null where it does not say. Null if the report
 * does not separate runners, as of older versions, or has more tests than are kept.
 */
export function ranByRunner(report: TestReport): ReadonlyMap<string, Ran> | null {
  if (report.truncated || (!report.complete && report.unnamed === undefined)) return null
  const byRunner = new Map<string, Ran>()
  for (const { runner, ran = null } of report.unnamed ?? []) byRunner.set(runner, { ran, isNamed: false })
  for (const test of testsThatRan(report)) {
    if (test.outcome === 'skipped' || !(report.complete || test.whole)) continue
    const runner = runnerOf(report, test)
    const { ran, isNamed } = byRunner.get(runner) ?? { ran: 0, isNamed: true }
    byRunner.set(runner, { ran: ran === null ? null : ran + 1, isNamed })
  }
  return byRunner
}

interface Ran {
  readonly ran: number | null
  /** True if the runner names each of its tests. */
  readonly isNamed: boolean
}

/** All places around an id: `a` and `a > b` for `a > b > c`. */
export function placesOf(id: string): readonly string[] {
  const parts = id.split(' > ')
  return parts.slice(1).map((_, i) => parts.slice(0, i + 1).join(' > '))
}
