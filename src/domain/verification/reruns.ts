import { passedIds, type TestReport } from './test-results.ts'
import type { CommandRecord } from './verdict.ts'

/** Ids of the tests that failed. */
export function failingIn(report: TestReport | null): readonly string[] {
  return report === null ? [] : report.tests.filter(({ outcome }) => outcome === 'failed').map(({ id }) => id)
}

/**
 * A step is green if its exit code is 0 and no named test says otherwise: both come from the
 * program.
 */
export function isGreen({ exit_code }: Pick<CommandRecord, 'exit_code'>, report: TestReport | null): boolean {
  return exit_code === 0 && failingIn(report).length === 0
}

/**
 * The joint result of two runs of the same step on the same commit. `flaky` tests failed in one run
 * and passed in the other. `broken` tests failed in the second run and never passed. A green second
 * run shows that all failures of the first were flaky.
 */
export function flakyIn(
  first: TestReport | null,
  second: TestReport | null,
  { isGreen }: { readonly isGreen: boolean },
): { readonly flaky: readonly string[]; readonly broken: readonly string[] } {
  const [before, after] = [failingIn(first), failingIn(second)]
  if (isGreen) return { flaky: before, broken: [] }
  const [green, greenBefore] = [new Set(passedIds(second)), new Set(passedIds(first))]
  const flaky = [...before.filter((id) => green.has(id)), ...after.filter((id) => greenBefore.has(id))]
  const known = new Set(flaky)
  return { flaky, broken: [...new Set([...before, ...after])].filter((id) => !known.has(id)) }
}
