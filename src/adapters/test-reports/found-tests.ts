import { limits } from '../../domain/limits.ts'
import type { TestOutcome, TestReportFormat, TestRunner } from '../../domain/verification/test-results.ts'
import type { TestCounts } from '../../domain/verification/tests-seen.ts'

/**
 * What one reader understood, in the runner's own words: not cleaned, not capped, the same test
 * perhaps twice.
 */
export type FoundTests = (Written | Totals) & {
  readonly tests: readonly FoundTest[]
  /** Whether every executed test is among them. */
  readonly complete: boolean
  /** The runner's own totals, where they say more than the tests that it names. */
  readonly counts?: TestCounts
  /** A task runner has only repeated an earlier result of it. */
  readonly replayed?: true
}

interface Written {
  readonly format: Exclude<TestReportFormat, 'totals'>
  /** Where a format that many write shows who wrote it. */
  readonly runner?: TestRunner
}

interface Totals {
  readonly format: 'totals'
  readonly runner: TestRunner
}

/** The runner whose word it is. */
export const runnerOf = (run: FoundTests): TestRunner =>
  run.format === 'totals' ? run.runner : (run.runner ?? run.format)

export interface FoundTest {
  /** File, suites, name; as much of it as the format has. */
  readonly path: readonly string[]
  readonly outcome: TestOutcome
  /** What its runner said of the failure; not yet cleaned or cut. */
  readonly failure?: string
  /** No test of the file, suite or package that it stands for ran. */
  readonly notLoaded?: true
}

/** Null when the lines are not of its format. */
export type ReadLines = (lines: readonly string[]) => FoundTests | null

/** Adds a test, unless there are more than a report keeps: one more says that there were. */
export function keep(tests: FoundTest[], test: FoundTest): void {
  if (tests.length <= limits.testReport.tests) tests.push(test)
}

/**
 * The first lines that say something, from `from` to before one that `ends` it; undefined when
 * there are none.
 */
export function firstLines(
  lines: readonly string[],
  { from, ends }: { readonly from: number; readonly ends: (line: string) => boolean },
): string | undefined {
  const said: string[] = []
  // Some put empty lines between them.
  for (const line of lines.slice(from, from + 3 * limits.testReport.failureLines)) {
    if (ends(line) || said.length === limits.testReport.failureLines) break
    if (line.trim() !== '') said.push(line)
  }
  return said.length === 0 ? undefined : said.join('\n')
}

/** A path or name of a file, as it stands for a test. */
export const isFileName = (name: string): boolean =>
  /^[^\s:]+\.(?:[cm]?[jt]sx?|py|rb|php|exs?|coffee|vue|svelte)$/.test(name)

/** Beside a test: nothing when nothing was said. */
export const withFailure = (failure: string | undefined): Pick<FoundTest, 'failure'> => (failure ? { failure } : {})

export function countsOf(tests: readonly FoundTest[]): TestCounts {
  const count = (wanted: TestOutcome) => tests.filter(({ outcome }) => outcome === wanted).length
  return { passed: count('passed'), failed: count('failed'), skipped: count('skipped') }
}
