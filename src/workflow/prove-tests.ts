import { testFileOf } from '../domain/compare-tests.ts'
import type { Proof } from '../domain/gate-finding.ts'
import { limits } from '../domain/limits.ts'
import { isTestFile } from '../domain/plan.ts'
import { failingIn, isGreen } from '../domain/reruns.ts'
import type { RunConfig } from '../domain/run-config.ts'
import type { TestReport } from '../domain/test-results.ts'
import type { RunFolder } from '../ports/artifacts.ts'
import type { ChangedFile } from '../ports/workspace.ts'
import type { Found, RunTreeDeps } from './run-tree.ts'
import { runOn, type TreeTests } from './tests-of-tree.ts'
import type { VerifyInput } from './verification-place.ts'

export interface Proving {
  readonly input: VerifyInput
  readonly folder: RunFolder
  readonly base: TreeTests
  readonly change: TreeTests
  readonly files: readonly ChangedFile[]
}

/** Runs the new and changed tests against the sources of the base commit: at least one must fail there, or they show nothing about the change. */
export async function proveTests(deps: RunTreeDeps, proving: Proving, signal: AbortSignal): Promise<Proof> {
  const { input, folder, change } = proving
  const reason = whyNot(proving)
  if (reason !== null) return { status: 'not_applicable', reason }
  const tree = await deps.workspaces.treeWith({ base: input.base, from: input.commit, paths: testsOf(proving) })
  const commit = await deps.workspaces.commit({
    ...{ tree, parents: [input.base], message: `The tests of ${input.runId} on its base\n` },
    // One a checkout, which has one verification at a time.
    ...{ ref: `refs/drydock/proofs/${input.checkout}`, at: new Date(input.at) },
  })
  // Only the steps that run tests can say anything about them.
  const testing = input.config.steps.filter(({ name }) => (change.tests[name] ?? null) !== null)
  const config = { ...input.config, steps: testing.length > 0 ? testing : input.config.steps }
  const { found, status } = await runOn(deps, { input: { ...input, commit, config }, folder, name: 'proof' }, signal)
  const proof = judge(proving, { found, status, config })
  return proof.status === 'not_applicable' ? proof : { ...proof, ...newAndPassing(proving, found) }
}

interface Ran {
  readonly found: Found
  readonly status: 'PASS' | 'FAIL'
  readonly config: RunConfig
}

function judge(proving: Proving, { found, status, config }: Ran): Proof {
  const { base } = proving
  // Without a step that ran no test has failed.
  if (status === 'PASS' || found.tests.size === 0) return { status: 'not_proven' }
  const known = new Set(Object.values(base.tests).flatMap(failingIn))
  const changed = testsOf(proving)
  const isOld = (id: string) => known.has(id) || (testFileOf(id) !== '' && !changed.includes(testFileOf(id)))
  const named = [...found.tests.values()].flatMap(failingIn)
  // One in a file that the change leaves alone shows that it is flaky.
  const failing = named.filter((id) => !isOld(id))
  if (failing.length === 0 && named.length > 0) return { status: 'not_proven' }
  if (failing.length > 0) return { status: 'proven', failing: failing.slice(0, limits.gate.listed) }
  const isGreenBase = config.steps.every(({ name }) =>
    base.commands.some((ran) => ran.name === name && isGreen(ran, base.tests[name] ?? null)),
  )
  if (isGreenBase) return { status: 'proven', failing }
  const isNamed = [...Object.values(base.tests), ...found.tests.values()].some((report) => report !== null)
  return isNamed ? { status: 'not_proven' } : { status: 'not_applicable', reason: redBase }
}

/** New tests need the change; one that passes without it shows nothing about it. */
function newAndPassing({ base, change }: Proving, found: Found): { readonly passing?: readonly string[] } {
  const ids = (report: TestReport | null) => report?.tests.map(({ id }) => id) ?? []
  const before = new Set(Object.values(base.tests).flatMap(ids))
  const now = new Set(Object.values(change.tests).flatMap(ids))
  const passed = [...found.tests.values()].flatMap(
    (report) => report?.tests.filter((one) => one.outcome === 'passed') ?? [],
  )
  const passing = passed.flatMap(({ id }) => (now.has(id) && !before.has(id) ? [id] : []))
  return passing.length === 0 ? {} : { passing: passing.slice(0, limits.gate.listed) }
}

const redBase = 'the base commit fails without it, and its runner names no tests'

function whyNot(proving: Proving): string | null {
  const { input, files, base, change } = proving
  const tests = testsOf(proving)
  if (input.refactor) return 'the plan, which was accepted, declares a change that no test can tell'
  if (files.every(({ path }) => isTestFile(path))) return 'only tests were changed'
  if (tests.length > 0)
    return base.status === 'FAIL' && Object.values(change.tests).every((report) => report === null) ? redBase : null
  const before = new Set(Object.values(base.tests).flatMap((report) => report?.tests.map(({ id }) => id) ?? []))
  const isNew = Object.values(change.tests).some((report) => report?.tests.some(({ id }) => !before.has(id)))
  return isNew ? 'its new tests are in files that may hold what they test' : 'no test was added or changed'
}

/** The test files of the change. Not what dependencies are installed from: those are the base's. */
function testsOf({ input, files }: Proving): readonly string[] {
  const inputs = input.config.prepare.flatMap((step) => step.inputs)
  const isInput = (path: string) => inputs.some((each) => path === each || path.startsWith(`${each}/`))
  return files.flatMap(({ path, status }) => (status !== 'deleted' && isTestFile(path) && !isInput(path) ? [path] : []))
}
