import { limits } from '../domain/limits.ts'
import { failingIn } from '../domain/reruns.ts'
import type { TestReport } from '../domain/test-results.ts'
import type { Manifest, TestCounts } from '../domain/verdict.ts'
import type { Found } from './run-tree.ts'
import type { TreeTests } from './tests-of-tree.ts'

type Facts = Pick<Manifest, 'tests' | 'failing' | 'flaky' | 'pre_existing' | 'reruns' | 'base'>

/** What a manifest says of the tests; what is not known or empty is left out. */
export function testFacts(found: Found, base: TreeTests | null): Facts {
  const { flaky, preExisting, reruns } = found
  return {
    ...counted([...found.tests.values()]),
    ...(flaky.length > 0 && { flaky: few(flaky) }),
    ...(preExisting.length > 0 && { pre_existing: few(preExisting) }),
    ...(reruns.length > 0 && { reruns }),
    ...(base && {
      base: {
        ...{ commit_sha: base.commit, tree_sha: base.tree, status: base.status },
        ...counted(Object.values(base.tests)),
        commands_executed: base.commands,
      },
    }),
  }
}

function counted(reports: readonly (TestReport | null)[]): Pick<Manifest, 'tests' | 'failing'> {
  const tests = reports.flatMap((report) => report?.tests ?? [])
  if (tests.length === 0) return {}
  const count = (outcome: keyof TestCounts) => tests.filter((test) => test.outcome === outcome).length
  const failing = reports.flatMap(failingIn)
  return {
    tests: { passed: count('passed'), failed: count('failed'), skipped: count('skipped') },
    ...(failing.length > 0 && { failing: few(failing) }),
  }
}

function few(ids: readonly string[]): readonly string[] {
  return [...new Set(ids)].slice(0, limits.gate.ids)
}
