import { limits } from '../domain/limits.ts'
import { failingIn } from '../domain/verification/reruns.ts'
import type { TestOutcome, TestReport } from '../domain/verification/test-results.ts'
import { sumOfTests, type TestCounts } from '../domain/verification/tests-seen.ts'
import type { CommandRecord, Manifest } from '../domain/verification/verdict.ts'
import type { TreeResults } from './run-tree.ts'
import type { TreeTests } from './tests-of-tree.ts'
import type { DecidingFiles } from './tracing/deciding-files.ts'

type Deciding = Pick<Manifest, 'deciding_files' | 'tracing'>
type Facts = Pick<Manifest, 'tests' | 'failing' | 'flaky' | 'pre_existing' | 'allowed' | 'reruns' | 'base'> & Deciding

/** The facts about tests for a manifest. Unknown and empty ones are left out. */
export function testFacts(found: TreeResults, base: TreeTests | null): Facts {
  const { flaky, preExisting, allowed, reruns } = found
  return {
    ...counted([...found.tests.values()]),
    ...(flaky.length > 0 && { flaky: few(flaky) }),
    ...(preExisting.length > 0 && { pre_existing: few(preExisting) }),
    ...(allowed.length > 0 && { allowed: few(allowed) }),
    ...(reruns.length > 0 && { reruns }),
    ...(base && {
      base: {
        commit_sha: base.commit,
        tree_sha: base.tree,
        status: base.status,
        ...counted(Object.values(base.tests)),
        commands_executed: base.commands,
      },
      ...(base.deciding && decidingFacts(base.deciding)),
    }),
  }
}

function decidingFacts({ files, known, untraced, more }: DecidingFiles): Deciding {
  const paths = [...new Set([...files.map(({ path }) => path), ...known])].toSorted()
  const unlisted = more + Math.max(0, paths.length - limits.trace.files)
  const rest = unlisted > 0 ? { more: unlisted } : {}
  const status =
    untraced === null ? ({ status: 'traced' } as const) : ({ status: 'not_traced', reason: untraced } as const)
  return { deciding_files: paths.slice(0, limits.trace.files), tracing: { ...status, ...rest } }
}

function counted(reports: readonly (TestReport | null)[]): Pick<Manifest, 'tests' | 'failing'> {
  const tests = sumOfTests(reports.map(countsOf))
  const failing = reports.flatMap(failingIn)
  return { ...(tests && { tests }), ...(failing.length > 0 && { failing: few(failing) }) }
}

/**
 * The numbers of tests by outcome; null when they are unknown, because no runner reported them or
 * not all of the output was read.
 */
export function countsOf(report: TestReport | null): Required<TestCounts> | null {
  if (report === null || (report.tests.length === 0 && !report.counts && !report.complete)) return null
  const count = (outcome: TestOutcome) => report.tests.filter((test) => test.outcome === outcome).length
  const named = { passed: count('passed'), failed: count('failed'), skipped: count('skipped') }
  return sumOfTests([report.counts ?? named])
}

function few(ids: readonly string[]): readonly string[] {
  return [...new Set(ids)].slice(0, limits.gate.ids)
}

/** Each step with the tests that it reported. */
export function withTests({
  commands,
  tests: reports,
}: Pick<TreeResults, 'commands' | 'tests'>): readonly CommandRecord[] {
  return commands.map((command) => {
    const report = reports.get(command.name) ?? null
    const tests = countsOf(report)
    return { ...command, ...(tests && { tests }), ...(report?.unnamed && { unnamed: report.unnamed }) }
  })
}
