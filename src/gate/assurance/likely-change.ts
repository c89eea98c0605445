import { declaredTests } from '../../domain/gate/declared-tests.ts'
import { filledLines } from '../../domain/text.ts'
import { testFileOf } from '../../domain/verification/compare-tests.ts'
import type { TestReport, TestResult } from '../../domain/verification/test-results.ts'
import { type ComparingDeps, textAt } from '../findings/compared-files.ts'
import { findProbes, type Probes } from '../reach/find-probes.ts'
import type { Trying } from './trying.ts'

/**
 * A change with the results that its steps are likely to have: those of the base, and the tests
 * that it adds. Null if it touches old tests, whose copies would run beside the canaries.
 */
export async function likelyChange(
  deps: ComparingDeps,
  trying: Trying,
  signal: AbortSignal,
): Promise<(Trying & { readonly probes: Probes }) | null> {
  const { base, change, files, kindOf } = trying
  const added: { readonly path: string; readonly name: string }[] = []
  for (const { path, status } of files) {
    if (kindOf(path) !== 'test') continue
    if (status !== 'added' && status !== 'modified') return null
    const now = await textAt(deps, { sha: change.commit, path }, signal)
    const before = status === 'added' ? '' : await textAt(deps, { sha: base.commit, path }, signal)
    if (now === null || before === null || !hasAll(filledLines(now), filledLines(before))) return null
    const old = new Set(declaredTests(before, path).map(({ name }) => name))
    added.push(...declaredTests(now, path).flatMap(({ name }) => (old.has(name) ? [] : [{ path, name }])))
  }
  const withAdded = (report: TestReport | null) => {
    if (report === null) return null
    const isPlaced = report.tests.some(({ id }) => testFileOf(id) !== '')
    const tests = added.map(
      ({ path, name }): TestResult => ({ id: isPlaced ? `${path} > ${name}` : name, outcome: 'passed' }),
    )
    return { ...report, tests: [...report.tests, ...tests] }
  }
  const tests = Object.entries(change.tests).map(([step, report]) => [step, withAdded(report)] as const)
  const likely = { ...trying, change: { ...change, tests: Object.fromEntries(tests) } }
  return { ...likely, probes: await findProbes(deps, likely, signal) }
}

/** True if each line of the old text stands in the new one, in the same order. */
function hasAll(now: readonly string[], before: readonly string[]): boolean {
  let at = 0
  for (const line of now) if (line === before[at]) at += 1
  return at === before.length
}
