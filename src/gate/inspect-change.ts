import type { GateFinding, Integrity } from '../domain/gate/gate-finding.ts'
import type { AssuranceFacts } from '../domain/verification/assurance.ts'
import { failingIn, isGreen } from '../domain/verification/reruns.ts'
import { passedIds } from '../domain/verification/test-results.ts'
import type { Manifest } from '../domain/verification/verdict.ts'
import type { RunFolder } from '../ports/artifacts.ts'
import { flakyTests } from './assurance/flaky-tests.ts'
import { answerKept, askKept, tellExchanged, touchesTestsAlone, withoutKept } from './assurance/kept-expectations.ts'
import { tryAll } from './assurance/try-all.ts'

import type { BesideChange } from './beside-change.ts'
import type { GateDependencies } from './dependencies.ts'
import { exchangedLines } from './findings/exchanged-lines.ts'
import { findWeakening, withId } from './findings/gate-findings.ts'
import { inheritDeciders } from './findings/inherited-deciders.ts'
import { unendedSteps } from './findings/unended-steps.ts'

import { kindsOf } from './modules/kinds-of.ts'
import { findProbes } from './reach/find-probes.ts'

import type { RunTreeDeps, TreeResults } from './run-tree.ts'
import { type TreeTests, treeTests } from './tests-of-tree.ts'
import { withoutExpectedOutputs } from './tracing/expected-outputs.ts'
import { inRewritten } from './tracing/rewritten-files.ts'
import type { VerifyInput } from './verification-place.ts'

export interface Inspecting {
  readonly input: VerifyInput
  readonly tree: string
  readonly folder: RunFolder
  readonly found: TreeResults
  /** The tests of the base commit. */
  readonly base: BesideChange['base']
  readonly free: BesideChange['free']
  readonly begun: BesideChange['proof']
}

export interface Inspection {
  /**
   * Null when the green steps prove nothing: they do not notice a failing test, or are `unended`.
   */
  readonly integrity: Integrity | null
  readonly facts: AssuranceFacts
  /** Steps whose runner did not reach its end, in words. */
  readonly unended: readonly string[]
}

/**
 * Inspects a green change: its effects on the gate itself, and if its tests would fail without it.
 */
export async function inspectChange(
  deps: GateDependencies,
  { input, tree, folder, found, base, free, begun }: Inspecting,
  signal: AbortSignal,
): Promise<Inspection> {
  const { purpose, config, commit } = input
  // A green verdict may include allowed failures.
  const isAllGreen = found.commands.every((each) => isGreen(each, found.tests.get(each.name) ?? null))
  const status = isAllGreen ? 'PASS' : 'FAIL'
  const change = treeTests({ commit, tree, status, found })
  const [before, files] = await Promise.all([base(), deps.history.changedFiles(input.base, commit)])
  const compared = { base: before, change, config, files }
  const { told, kindOf, roles, testsByUse, likely, comparing } = await kindsOf(deps, compared, signal)
  const suspected = await findWeakening(deps, { ...compared, testsByUse }, signal)
  const flaky = flakyTests(deps, { ids: found.flaky, base: before }, signal)
  const trying = { folder, base: before, change, files, kindOf, likely, comparing, flaky }
  const rewritten = inRewritten(
    before.rewritten ?? [],
    await withoutExpectedOutputs(deps, { base: before, change }),
    kindOf,
  )
  const assurance = config.assurance ?? 'full'
  // Findings that count in the text of tests are checked by copies in the canaries' run.
  const isExchange = await touchesTestsAlone(deps, { input, files, kindOf }, signal)
  const isAsked = isExchange || suspected.some(({ kind }) => countedKinds.has(kind))
  const questions = isAsked ? await askKept(deps, compared, signal) : null
  const isReachAsked = assurance !== 'fast' && purpose === 'change' && namesTests(change)
  const probes = isReachAsked ? await findProbes(deps, { ...trying, input }, signal) : null
  const all = await tryAll(deps, { ...trying, input, assurance, probes, questions, free, begun }, signal)
  const { listening } = all
  const kept = questions === null ? undefined : answerKept(questions, listening?.copied ?? null)
  const isTried = kept !== undefined && (listening?.copied !== undefined || questions?.asks.length === 0)
  const weakened = isTried
    ? await findWeakening(deps, { ...compared, testsByUse, base: withoutKept(before, kept), kept }, signal)
    : suspected
  const counted = new Set(weakened.flatMap(({ kind, file }) => (tellsLoss.has(kind) && file !== '' ? [file] : [])))
  const { read, keptTests } = kept ?? { read: new Set<string>(), keptTests: new Set<string>() }
  const exchanged = isExchange
    ? [
        ...(kept ? await tellExchanged(deps, compared, kept) : []),
        ...(await exchangedLines(deps, { ...compared, kindOf, read, keptTests }, signal)),
      ]
    : []
  const known = { files: told, roles, ...(listening && { canaries: listening.canaries }) }
  if (listening?.canaries.status === 'deaf') return { integrity: null, facts: known, unended: [] }
  const again = () => deps.testsOfTrees.of({ deps, input, folder, commit, name: 'again', anew: true }, signal)
  // Changed configuration may have replaced the runner, which is a finding already.
  const mayDiffer = weakened.some(({ kind }) => kind === 'configuration')
  const ending = { base: before, change, files, kindOf, again }
  const unended = mayDiffer ? [] : await unendedSteps(deps, ending, signal)
  if (unended.length > 0) return { integrity: null, facts: known, unended }
  if (purpose === 'merge') {
    const deciding = await inheritDeciders(deps, { base: before, change, files, config }, signal)
    // Later stories are compared with the merged commit.
    await deps.testsOfTrees.keep(deps, { ...change, ...deciding, ...(all.checked && { checked: all.checked }) }, config)
  }
  const apart = exchanged.filter(({ file }) => !counted.has(file))
  const own = [...rewritten, ...apart, ...(listening?.found ?? [])].map(withId)
  const findings = [...weakened, ...own, ...all.found]
  const integrity = { findings, ...(all.proof && { proof: all.proof }) }
  return { integrity, facts: { ...known, ...all.facts }, unended }
}

/** Findings that tell the losses of a file. */
const tellsLoss: ReadonlySet<GateFinding['kind']> = new Set(['fewer_assertions', 'tests_removed'])

/** Findings that count tests or assertions, which the spoiled copies may refute. */
const countedKinds: ReadonlySet<GateFinding['kind']> = new Set(['fewer_assertions', 'tests_removed', 'tests_renamed'])

/** True if a step names a passing test. */
function namesTests({ tests }: TreeTests): boolean {
  return Object.values(tests).some((report) => passedIds(report).length > 0)
}

/**
 * Ids of the tests that fail on the base commit; if nothing was changed, those that just failed in
 * `tests`.
 */
export async function failingOnBase(
  { history }: Pick<RunTreeDeps, 'history'>,
  { input, tree, base }: Pick<Inspecting, 'input' | 'tree' | 'base'>,
  tests: TreeResults['tests'],
): Promise<ReadonlySet<string>> {
  const isBase = tree === (await history.tree(input.base))
  const reports = isBase ? [...tests.values()] : Object.values((await base()).tests)
  return new Set(reports.flatMap(failingIn))
}

/**
 * Tells if the base commit fails in the same way. A step that names no failing test is compared
 * only if the base has been run, since its names would be all that such a run could add.
 */
export async function failsOnBase(
  { history }: Pick<RunTreeDeps, 'history'>,
  { input, tree }: Pick<Inspecting, 'input' | 'tree'>,
  { found, before }: { readonly found: TreeResults; readonly before: TreeTests | null },
): Promise<Manifest['also_on_base'] | null> {
  // A verdict on the base itself need not mention the base.
  if (input.purpose === 'alone' && tree === (await history.tree(input.base))) return null
  if (found.onlyPreExisting) return 'tests'
  const last = found.commands.at(-1)
  if (last === undefined || last.timed_out || failingIn(found.tests.get(last.name) ?? null).length > 0) return null
  const same = before?.commands.find(({ name }) => name === last.name)
  if (same === undefined || same.timed_out || same.exit_code !== last.exit_code || last.exit_code === 0) return null
  return failingIn(before?.tests[last.name] ?? null).length > 0 ? null : 'step'
}
