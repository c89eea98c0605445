import type { Proof } from '../domain/gate-finding.ts'
import { limits } from '../domain/limits.ts'
import { isTestFile } from '../domain/plan.ts'
import { failingIn } from '../domain/reruns.ts'
import type { RunFolder } from '../ports/artifacts.ts'
import type { ChangedFile } from '../ports/workspace.ts'
import type { RunTreeDeps } from './run-tree.ts'
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
  const { input, folder, base, change, files } = proving
  const reason = whyNot(proving)
  if (reason !== null) return { status: 'not_applicable', reason }
  const tree = await deps.workspaces.treeWith({ base: input.base, from: input.commit, paths: testsOf(files) })
  const commit = await deps.workspaces.commit({
    ...{ tree, parents: [input.base], message: `The tests of ${input.runId} on its base\n` },
    ...{ ref: `refs/drydock/proofs/${input.runId}`, at: new Date(input.at) },
  })
  // Only the steps that run tests can say anything about them.
  const testing = input.config.steps.filter(({ name }) => (change.tests[name] ?? null) !== null)
  const config = { ...input.config, steps: testing.length > 0 ? testing : input.config.steps }
  const { found, status } = await runOn(deps, { input: { ...input, commit, config }, folder, name: 'proof' }, signal)
  if (status === 'PASS') return { status: 'not_proven' }
  const known = new Set(Object.values(base.tests).flatMap(failingIn))
  const failing = [...found.tests.values()].flatMap(failingIn).filter((id) => !known.has(id))
  if (base.status === 'FAIL' && failing.length === 0) return { status: 'not_proven' }
  return { status: 'proven', failing: failing.slice(0, limits.gate.listed) }
}

function whyNot({ input, files, base, change }: Proving): string | null {
  const tests = testsOf(files)
  if (input.refactor) return 'the plan, which was accepted, declares a change that no test can tell'
  if (files.every(({ path }) => isTestFile(path))) return 'only tests were changed'
  if (tests.length > 0)
    return base.status === 'FAIL' && Object.values(change.tests).every((report) => report === null)
      ? 'the base commit fails without it, and its runner names no tests'
      : null
  const before = new Set(Object.values(base.tests).flatMap((report) => report?.tests.map(({ id }) => id) ?? []))
  const isNew = Object.values(change.tests).some((report) => report?.tests.some(({ id }) => !before.has(id)))
  return isNew ? 'its new tests are in the files that they test' : 'no test was added or changed'
}

function testsOf(files: readonly ChangedFile[]): readonly string[] {
  return files.filter(({ path, status }) => status !== 'deleted' && isTestFile(path)).map(({ path }) => path)
}
