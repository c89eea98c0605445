import { posix } from 'node:path'
import { isDeepStrictEqual, stripVTControlCharacters } from 'node:util'
import { isCode } from '../../domain/gate/code-syntax.ts'
import type { Proof } from '../../domain/gate/gate-finding.ts'
import { limits } from '../../domain/limits.ts'
import type { RunConfig } from '../../domain/run/run-config.ts'
import { isTestFile } from '../../domain/story/plan.ts'
import { testFileOf } from '../../domain/verification/compare-tests.ts'
import { isGreen } from '../../domain/verification/reruns.ts'
import { passedIds, type TestReport, testsThatRan } from '../../domain/verification/test-results.ts'
import type { CommandRecord } from '../../domain/verification/verdict.ts'
import { addsTests } from '../findings/new-tests.ts'
import type { RunTreeDeps, TreeResults } from '../run-tree.ts'
import { createTestLog } from '../test-log.ts'
import { runOn } from '../tests-of-tree.ts'
import type { Watch } from '../tracing/tracing.ts'
import type { NarrowedOnce, NarrowTrees } from './narrowing.ts'
import { commitVariant, type VariantDeps } from './run-variant.ts'
import type { Trying } from './trying.ts'
import { watchedFew } from './watched-few.ts'

type Proving = Pick<Trying, 'input' | 'folder' | 'base' | 'change' | 'files' | 'flaky'>

/** A run of the tests of a change on the sources of its base. */
export interface ProofRun {
  /** Names of the steps. */
  readonly steps: readonly string[]
  readonly found: TreeResults
  readonly text: string
}

/**
 * Starts the run that `proveTests` is likely to need, while the change's own steps still run:
 * `change` has the results of the base. Null where no proof will be needed.
 */
export async function beginProof(deps: RunTreeDeps, proving: Proving, signal: AbortSignal): Promise<ProofRun | null> {
  if (whyNot(proving) !== null || (await addsTests(deps, adding(proving), signal)) === null) return null
  return runOnBase(deps, { ...proving, name: 'proof' }, signal)
}

interface ProofInput extends Proving {
  /** Returns the run if it was started early. */
  readonly begun: () => Promise<ProofRun | null>
  readonly narrowed: NarrowedOnce
}

/**
 * Runs the new and changed tests against the sources of the base commit: at least one must fail
 * there, or they show nothing about the change. A proof by a few test files counts if nothing that
 * ran could notice their small number; else all of them run.
 */
export async function proveTests(
  deps: VariantDeps,
  { begun, narrowed, ...proving }: ProofInput,
  signal: AbortSignal,
): Promise<Proof> {
  const reason = whyNot(proving)
  if (reason !== null) return { status: 'not_applicable', reason }
  const added = await addsTests(deps, adding(proving), signal)
  if (added === null) return { status: 'not_applicable', reason: noneNew }
  const judged = ({ found, text }: ProofRun): Proof => {
    const proof = judge(proving, { found, namesTest: namesOneOf(testsOf(proving), text) })
    return proof.status === 'not_applicable' ? proof : { ...proof, ...newAndPassing(proving, found) }
  }
  const isByChance = (proof: Proof) => isProvenBy(proof, (id) => proving.flaky.ids.includes(id))
  const early = await begun()
  const isMeant = early !== null && isDeepStrictEqual(early.steps, stepsOf(proving).map(nameOf))
  if (early === null) {
    const few = await runOnFew(deps, { ...proving, narrowed }, signal)
    const proof = few && judged(few)
    if (proof?.status === 'proven' && proof.failing.length > 0 && !isByChance(proof)) return proof
  }
  const whole = isMeant ? early : await runOnBase(deps, { ...proving, name: early ? 'proof-anew' : 'proof' }, signal)
  const first = judged(whole)
  // A test that fails by chance may fail without any source.
  const proof = isByChance(first)
    ? provenTwice(first, judged(await runOnBase(deps, { ...proving, name: 'proof-again' }, signal)))
    : first
  return proof.status === 'not_proven' && added === 'helpers' ? { status: 'not_applicable', reason: noneNew } : proof
}

function isProvenBy(proof: Proof, isSuch: (id: string) => boolean): boolean {
  return proof.status === 'proven' && proof.failing.length > 0 && proof.failing.every(isSuch)
}

function provenTwice(first: Proof, second: Proof): Proof {
  const failing = second.status === 'proven' ? second.failing : []
  return isProvenBy(first, (id) => !failing.includes(id)) ? { status: 'not_proven' } : first
}

/** The run on a tree with few test files; null if it says nothing about the whole tree. */
async function runOnFew(
  deps: VariantDeps,
  { narrowed, ...proving }: Proving & Pick<ProofInput, 'narrowed'>,
  signal: AbortSignal,
): Promise<ProofRun | null> {
  const changed = testsOf(proving)
  const asked = await watchedFew(deps, { ...proving, narrowed, taken: changed, tests: changed }, signal)
  if (asked === null) return null
  const { few, watch } = asked
  const ran = await runOnBase(deps, { ...proving, few, watch, name: 'proof-narrowed' }, signal)
  return watch.told() === null ? ran : null
}

const adding = (proving: Proving) => ({ ...proving, tests: testsOf(proving) })

const nameOf = ({ name }: { readonly name: string }) => name

/** All steps up to the last one that runs tests: an earlier step may build them. */
function stepsOf({ input, change }: Proving): RunConfig['steps'] {
  const { steps } = input.config
  const last = steps.findLastIndex(({ name }) => (change.tests[name] ?? null) !== null)
  return last < 0 ? steps : steps.slice(0, last + 1)
}

async function runOnBase(
  deps: RunTreeDeps,
  {
    name,
    few,
    watch,
    ...proving
  }: Proving & { readonly name: string; readonly few?: NarrowTrees; readonly watch?: Watch },
  signal: AbortSignal,
): Promise<ProofRun> {
  const { input, folder } = proving
  const lacking = few && { without: few.without, files: few.files }
  const tree = await deps.history.treeWith({
    base: input.base,
    from: input.commit,
    paths: testsOf(proving),
    ...lacking,
  })
  const commit = await commitVariant(deps, { input, variant: { tree } })
  const steps = stepsOf(proving)
  const said = createTestLog()
  const own = { ...input, commit, config: { ...input.config, steps } }
  const { found } = await runOn(deps, { input: own, folder, name, also: said.push, tracing: watch ?? null }, signal)
  return { steps: steps.map(nameOf), found, text: stripVTControlCharacters(said.text()) }
}

interface ProofEvidence {
  readonly found: TreeResults
  /** True if any output points into a test of the change, as a compiler's does. */
  readonly namesTest: boolean
}

/**
 * A failing test by its name, or a compiler's message about its file, is proof; any other failure
 * says nothing about the change's tests.
 */
function judge(proving: Proving, { found, namesTest }: ProofEvidence): Proof {
  const { base } = proving
  const changed = testsOf(proving)
  const before = Object.values(base.tests)
  // A test that was red and passes now is proven by the sources that it needs.
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
  // The failing test may have no name.
  const isSilent = (report: TestReport | null) =>
    !report?.tests.length || (!report.complete && report.tests.every(({ outcome }) => outcome !== 'failed'))
  const broken = red.filter((ran) => wasGreen(ran) && isSilent(reportOf(ran)))
  const passed = new Set(before.flatMap((report) => passedIds(report)))
  const reports = found.commands.flatMap((ran, at) => {
    const report = reportOf(ran)
    const isAfterBroken = broken.some((one) => found.commands.indexOf(one) < at)
    // Tests that a failed step has not built cannot run: then no other test passes, either.
    return isAfterBroken && !passedIds(report).some((id) => passed.has(id)) ? [] : [report]
  })
  const failing = reports.flatMap((report) => [
    // An unchanged file's failing test is flaky.
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
 * True if a text names a place in one of the files: `loud_test.go:3:34`, `loud.test.ts(3,34)`, or
 * `File "test_loud.py", line 3`.
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
function newAndPassing({ base, change }: Proving, found: TreeResults): { readonly passing?: readonly string[] } {
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
  // A test in a file that can be loaded only now may have existed before.
  if (reports.some((report) => notLoadedIn(report).length > 0)) return noneNew
  const isNew = Object.values(change.tests).some((report) => report?.tests.some(({ id }) => !before.has(id)))
  return isNew ? 'its new tests are in files that may contain the code they test' : noneNew
}

/**
 * The test files of the change, without files that dependencies are installed from, which stay the
 * base's.
 */
function testsOf({ input, files }: Proving): readonly string[] {
  const inputs = input.config.prepare.flatMap((step) => step.inputs)
  const isInput = (path: string) => inputs.some((each) => path === each || path.startsWith(`${each}/`))
  return files.flatMap(({ path, status }) => (status !== 'deleted' && isTestFile(path) && !isInput(path) ? [path] : []))
}
