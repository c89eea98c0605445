import { posix } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { isCode } from '../../domain/gate/code-syntax.ts'
import type { Proof } from '../../domain/gate/gate-finding.ts'
import { limits } from '../../domain/limits.ts'
import { isTestFile } from '../../domain/story/plan.ts'
import { testFileOf } from '../../domain/verification/compare-tests.ts'
import { isGreen } from '../../domain/verification/reruns.ts'
import { passedIds, type TestReport, testsThatRan } from '../../domain/verification/test-results.ts'
import type { CommandRecord } from '../../domain/verification/verdict.ts'
import { addsTests } from '../findings/new-tests.ts'
import type { Found, RunTreeDeps } from '../run-tree.ts'
import { createTestLog } from '../test-log.ts'
import { runOn } from '../tests-of-tree.ts'
import { commitVariant } from './run-variant.ts'
import type { Trying } from './try-hybrid.ts'

type Proving = Pick<Trying, 'input' | 'folder' | 'base' | 'change' | 'files' | 'flaky'>

/**
 * Runs the new and changed tests against the sources of the base commit: at least one must fail
 * there, or they show nothing about the change.
 */
export async function proveTests(deps: RunTreeDeps, proving: Proving, signal: AbortSignal): Promise<Proof> {
  const reason = whyNot(proving)
  if (reason !== null) return { status: 'not_applicable', reason }
  const added = await addsTests(deps, { ...proving, tests: testsOf(proving) }, signal)
  if (added === null) return { status: 'not_applicable', reason: noneNew }
  const { input, folder, change, flaky } = proving
  const tree = await deps.history.treeWith({ base: input.base, from: input.commit, paths: testsOf(proving) })
  const commit = await commitVariant(deps, { input, variant: { tree } })
  const run = async (name: string) => {
    const asked = { input: { ...input, commit }, folder, change, name }
    const { found, text } = await runOnBase(deps, asked, signal)
    return { found, proof: judge(proving, { found, namesTest: namesOneOf(testsOf(proving), text) }) }
  }
  const first = await run('proof')
  const { found } = first
  // A test that fails by chance needs no source to do so.
  const isByChance = isProvenBy(first.proof, (id) => flaky.ids.includes(id))
  const proof = isByChance ? provenTwice(first.proof, (await run('proof-again')).proof) : first.proof
  if (proof.status === 'not_proven' && added === 'helpers') return { status: 'not_applicable', reason: noneNew }
  return proof.status === 'not_applicable' ? proof : { ...proof, ...newAndPassing(proving, found) }
}

function isProvenBy(proof: Proof, isSuch: (id: string) => boolean): boolean {
  return proof.status === 'proven' && proof.failing.length > 0 && proof.failing.every(isSuch)
}

function provenTwice(first: Proof, second: Proof): Proof {
  const failing = second.status === 'proven' ? second.failing : []
  return isProvenBy(first, (id) => !failing.includes(id)) ? { status: 'not_proven' } : first
}

/** All steps up to the last one that runs tests: one before it may build them. */
async function runOnBase(
  deps: RunTreeDeps,
  { input, folder, change, name }: Pick<Proving, 'input' | 'folder' | 'change'> & { readonly name: string },
  signal: AbortSignal,
): Promise<{ readonly found: Found; readonly text: string }> {
  const { steps } = input.config
  const last = steps.findLastIndex(({ name }) => (change.tests[name] ?? null) !== null)
  const config = { ...input.config, steps: last < 0 ? steps : steps.slice(0, last + 1) }
  const said = createTestLog()
  const { found } = await runOn(deps, { input: { ...input, config }, folder, name, also: said.push }, signal)
  return { found, text: stripVTControlCharacters(said.text()) }
}

interface Shown {
  readonly found: Found
  /** Whether anything that was printed points into a test of the change, as a compiler does. */
  readonly namesTest: boolean
}

/**
 * A failing test by its name, or a compiler's word about its file; what fails for any other reason
 * says nothing about the change's tests.
 */
function judge(proving: Proving, { found, namesTest }: Shown): Proof {
  const { base } = proving
  const changed = testsOf(proving)
  const before = Object.values(base.tests)
  // One that was red and passes now is shown by the sources that it needs.
  const passes = new Set(Object.values(proving.change.tests).flatMap(passedIds))
  const known = new Set(before.flatMap((report) => failedIn(report).flatMap(({ id }) => (passes.has(id) ? [] : [id]))))
  // Tests of any file may read changed data.
  const isOfFile = changed.every(isCode)
  const isOld = (id: string) =>
    known.has(id) || (isOfFile && testFileOf(id) !== '' && !changed.includes(testFileOf(id)))
  const wasUnloaded = new Set(before.flatMap(notLoadedIn))
  const isUnloadedNow = (id: string) => changed.includes(testFileOf(id) || id) || (namesTest && !wasUnloaded.has(id))
  const reportOf = ({ name }: CommandRecord) => found.tests.get(name) ?? null
  const red = found.commands.filter((ran) => !isGreen(ran, reportOf(ran)))
  if (red.length === 0) return { status: 'not_proven' }
  const wasGreen = ({ name }: CommandRecord) =>
    base.commands.some((ran) => ran.name === name && isGreen(ran, base.tests[name] ?? null))
  // What has failed may have no name.
  const isSilent = (report: TestReport | null) =>
    !report?.tests.length || (!report.complete && report.tests.every(({ outcome }) => outcome !== 'failed'))
  const broken = red.filter((ran) => wasGreen(ran) && isSilent(reportOf(ran)))
  const passed = new Set(before.flatMap((report) => passedIds(report)))
  const reports = found.commands.flatMap((ran, at) => {
    const report = reportOf(ran)
    const isAfterBroken = broken.some((one) => found.commands.indexOf(one) < at)
    // What a failed step has not built cannot be tested: then no other test passes, either.
    return isAfterBroken && !passedIds(report).some((id) => passed.has(id)) ? [] : [report]
  })
  const failing = reports.flatMap((report) => [
    // One in a file that the change leaves alone shows that it is flaky.
    ...failedIn(report).flatMap(({ id }) => (isOld(id) ? [] : [id])),
    ...notLoadedIn(report).filter(isUnloadedNow),
  ])
  if (failing.length > 0) return { status: 'proven', failing: failing.slice(0, limits.gate.listed) }
  if (broken.length > 0)
    return namesTest ? { status: 'proven', failing } : { status: 'not_applicable', reason: unnamed }
  const isNamed = [...before, ...reports].some((report) => report?.tests.length)
  return isNamed ? { status: 'not_proven' } : { status: 'not_applicable', reason: redBase }
}

const failedIn = (report: TestReport | null) => testsThatRan(report).filter(({ outcome }) => outcome === 'failed')

const notLoadedIn = (report: TestReport | null): readonly string[] =>
  report?.tests.flatMap(({ id, notLoaded }) => (notLoaded ? [id] : [])) ?? []

/**
 * `loud_test.go:3:34`, `loud.test.ts(3,34)`, `File "test_loud.py", line 3`: a place in one of the
 * files.
 */
function namesOneOf(paths: readonly string[], text: string): boolean {
  const names = new Set(paths.map((path) => posix.basename(path)))
  for (const [, name = ''] of text.matchAll(/(?<![\w.@+-])([\w.@+-]{1,200})(?::\d|\(\d|"?, line \d)/g))
    if (names.has(name)) return true
  return false
}

const unnamed = 'a step fails without the change, but names no failing test'

const noneNew = 'no test was added or changed'

/** New tests need the change; one that passes without it shows nothing about it. */
function newAndPassing({ base, change }: Proving, found: Found): { readonly passing?: readonly string[] } {
  const ids = (report: TestReport | null) => report?.tests.map(({ id }) => id) ?? []
  const before = new Set(Object.values(base.tests).flatMap(ids))
  const now = new Set(Object.values(change.tests).flatMap(ids))
  const passed = [...found.tests.values()].flatMap(passedIds)
  const passing = passed.filter((id) => now.has(id) && !before.has(id))
  return passing.length === 0 ? {} : { passing: passing.slice(0, limits.gate.listed) }
}

const redBase = 'the base commit fails without it, and its runner names no tests'

function whyNot(proving: Proving): string | null {
  const { input, files, base, change } = proving
  const tests = testsOf(proving)
  if (input.refactor) return 'the accepted plan declares a change that no test can see'
  if (files.every(({ path }) => isTestFile(path))) return 'only tests were changed'
  if (tests.length > 0)
    return base.status === 'FAIL' && Object.values(change.tests).every((report) => !report?.tests.length)
      ? redBase
      : null
  const reports = Object.values(base.tests)
  const before = new Set(reports.flatMap((report) => report?.tests.map(({ id }) => id) ?? []))
  // What could be loaded now may have been there before.
  if (reports.some((report) => notLoadedIn(report).length > 0)) return noneNew
  const isNew = Object.values(change.tests).some((report) => report?.tests.some(({ id }) => !before.has(id)))
  return isNew ? 'its new tests are in files that may contain the code they test' : noneNew
}

/** The test files of the change. Not what dependencies are installed from: those are the base's. */
function testsOf({ input, files }: Proving): readonly string[] {
  const inputs = input.config.prepare.flatMap((step) => step.inputs)
  const isInput = (path: string) => inputs.some((each) => path === each || path.startsWith(`${each}/`))
  return files.flatMap(({ path, status }) => (status !== 'deleted' && isTestFile(path) && !isInput(path) ? [path] : []))
}
