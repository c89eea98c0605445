import { limits } from '../../domain/limits.ts'
import type { TestOutcome, TestReportFormat, TestRunner } from '../../domain/verification/test-results.ts'
import type { TestCounts } from '../../domain/verification/tests-seen.ts'

/**
 * The result of one reader in the runner's own words: neither cleaned nor limited, and possibly
 * with duplicates.
 */
export type FoundTests = (ReportSource | Totals) & {
  readonly tests: readonly FoundTest[]
  /** True if every executed test is listed. */
  readonly complete: boolean
  /** The runner's own totals, if they tell more than the listed tests. */
  readonly counts?: TestCounts
  /** True if a task runner has only replayed an earlier result. */
  readonly replayed?: true
}

interface ReportSource {
  readonly format: Exclude<TestReportFormat, 'totals'>
  /** The runner, if a format used by several runners shows it. */
  readonly runner?: TestRunner
}

interface Totals {
  readonly format: 'totals'
  readonly runner: TestRunner
}

/** The runner that wrote the result. */
export const runnerOf = (run: FoundTests): TestRunner =>
  run.format === 'totals' ? run.runner : (run.runner ?? run.format)

export interface FoundTest {
  /** File, suites and name, as far as the format has them. */
  readonly path: readonly string[]
  readonly outcome: TestOutcome
  /** The runner's message for the failure, neither cleaned nor cut. */
  readonly failure?: string
  /** True if no test of this file, suite or package has run. */
  readonly notLoaded?: true
}

/** Null if the lines are not in the reader's format. */
export type ReadLines = (lines: readonly string[]) => FoundTests | null

/** Adds a test, up to one more than a report keeps, which shows that there were more. */
export function keep(tests: FoundTest[], test: FoundTest): void {
  if (tests.length <= limits.testReport.tests) tests.push(test)
}

/**
 * The first lines with text, from `from` up to a line that `ends` them; undefined if there are
 * none.
 */
export function firstLines(
  lines: readonly string[],
  { from, ends }: { readonly from: number; readonly ends: (line: string) => boolean },
): string | undefined {
  const said: string[] = []
  // Some runners put empty lines between them.
  for (const line of lines.slice(from, from + 3 * limits.testReport.failureLines)) {
    if (ends(line) || said.length === limits.testReport.failureLines) break
    if (line.trim() !== '') said.push(line)
  }
  return said.length === 0 ? undefined : said.join('\n')
}

/** True for a path or name of a file that stands in place of a test. */
export const isFileName = (name: string): boolean =>
  /^[^\s:]+\.(?:[cm]?[jt]sx?|py|rb|php|exs?|coffee|vue|svelte)$/.test(name)

/** The field `failure` of a test; empty if there is no message. */
export const withFailure = (failure: string | undefined): Pick<FoundTest, 'failure'> => (failure ? { failure } : {})

export function countsOf(tests: readonly FoundTest[]): TestCounts {
  const count = (wanted: TestOutcome) => tests.filter(({ outcome }) => outcome === wanted).length
  return { passed: count('passed'), failed: count('failed'), skipped: count('skipped') }
}
