import { namedTests } from './named-tests.ts'
import { isGreen } from './reruns.ts'
import { howManyRan, type TestReport, testsThatRan } from './test-results.ts'
import type { CommandRecord } from './verdict.ts'

/** One step on the base commit and with the change, green both times. */
export interface GreenTwice {
  readonly base: TestReport | null
  readonly change: TestReport | null
  readonly command: Pick<CommandRecord, 'exit_code'>
}

/**
 * Ids of the base commit's tests that a green step does not name, although its runner gave no sign
 * of its end: it neither names each test nor counts them. Empty if the base's runner did not reach
 * its end either, if more was printed than is read, or if a task runner repeated an earlier result.
 */
export function cutOffTests({ base, change, command }: GreenTwice): readonly string[] {
  if (!base?.complete || !isGreen(command, change)) return []
  if (change !== null && (change.complete || change.truncated || change.replayed || howManyRan(change) !== null))
    return []
  const named = new Set(change?.tests.map(({ id }) => id))
  const isWhole = change === null ? () => false : namedTests(base, change).isWhole
  const ran = testsThatRan(base).filter(({ outcome }) => outcome === 'passed')
  return ran.flatMap((test) => (named.has(test.id) || isWhole(test) ? [] : [test.id]))
}

/** The message for a step with a green exit code whose tests did not reach their end. */
export function withoutEnd(step: string, { of, missing }: { readonly of: number; readonly missing: number }): string {
  return `${step}: exit code 0, but its runner did not come to its end: ${missing} of ${of} tests that ran on the base commit are not named, and no total`
}

/**
 * True if a run has fewer results than another run of the same step and tree that named them all.
 */
export function hasFewerResults(first: TestReport | null, second: TestReport | null): boolean {
  return first?.complete === true && resultsIn(second) < resultsIn(first)
}

export function resultsIn(report: TestReport | null): number {
  if (report?.counts === undefined) return report?.tests.length ?? 0
  const { passed, failed, skipped } = report.counts
  return passed + failed + skipped
}
