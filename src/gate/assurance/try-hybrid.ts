import { type FileKind, type FileOfKind, fileKind } from '../../domain/gate/file-kind.ts'
import { listed, type Suspicion } from '../../domain/gate/gate-finding.ts'
import { guardedBy, isPackageManifest } from '../../domain/gate/guarded-file.ts'
import { limits } from '../../domain/limits.ts'
import { greenedTests, type Hybrid, type LostTests, lostTests } from '../../domain/verification/assurance.ts'
import { isGreen } from '../../domain/verification/reruns.ts'
import type { RunFolder } from '../../ports/artifacts.ts'
import type { ChangedFile } from '../../ports/history.ts'
import { contentsOf } from '../findings/compared-files.ts'
import type { TreeTests } from '../tests-of-tree.ts'
import type { VerifyInput } from '../verification-place.ts'
import { reducedTestFiles } from './reduced-test-files.ts'
import { runVariant, type VariantDeps } from './run-variant.ts'
import { sourcesWithOldTests } from './sources-with-old-tests.ts'

export interface Trying {
  readonly input: VerifyInput
  readonly folder: RunFolder
  readonly base: TreeTests
  readonly change: TreeTests
  readonly files: readonly ChangedFile[]
  /** What each path of the change is to the gate. */
  readonly kindOf: (path: string) => FileKind
  /** Ids that are known to pass and fail without a change. */
  readonly flaky: readonly string[]
}

export interface Tried {
  readonly hybrid: Hybrid
  readonly found: readonly Suspicion[]
}

/**
 * Old tests, old configuration, new sources: the base commit's tree with nothing but the change's
 * sources. Whatever the change did to tests and configuration, what passed
 * before is seen to pass, or not.
 */
export async function tryHybrid(deps: VariantDeps, trying: Trying, signal: AbortSignal): Promise<Tried> {
  const asked = await askOldTests(deps, trying, signal)
  if ('reason' in asked) return { hybrid: { status: 'not_tried', failing: [], reason: asked.reason }, found: [] }
  const { lost, withDependencies } = asked
  const { hybrid, found }: Tried = isHeld(lost)
    ? { hybrid: { status: 'held', failing: [] }, found: [] }
    : await tell(deps, trying, lost)
  return { hybrid: { ...hybrid, ...(withDependencies && { with_dependencies: true }) }, found }
}

/** What the old tests say of the new sources, or the reason why they were not asked. */
export type OldTests = { readonly reason: string } | { readonly lost: Lost; readonly withDependencies: boolean }

export async function askOldTests(deps: VariantDeps, trying: Trying, signal: AbortSignal): Promise<OldTests> {
  const { input, base, change, files, kindOf } = trying
  // A test file that has only lost whole tests is the base's as far as it goes; those are told.
  const reduced = await reducedTestFiles(deps, trying, signal)
  const own = pathsOf(files).filter((path) => ['source', 'other'].includes(kindOf(path)))
  const taken = [...own, ...reduced]
  const isGreened = mayBeGreened(base, change)
  if (!isGreened && own.every((path) => kindOf(path) === 'other')) return { reason: 'no source was changed' }
  const { history } = deps
  const old = await sourcesWithOldTests(deps, trying, signal)
  const tree = await history.treeWith({ base: input.base, from: input.commit, paths: taken, files: old })
  if (tree === change.tree) return { reason: 'nothing but sources was changed' }
  if (!isGreened && !mayFail(base, change)) return { reason: 'nothing passed on the base commit' }
  const first = await look(deps, { ...trying, tree }, signal)
  const installed = pathsOf(files).filter((path) => isInstalledFrom(path, input))
  if (isHeld(first) || installed.length === 0) return { lost: first, withDependencies: false }
  // New sources may need what the change installs.
  const paths = [...taken, ...installed]
  const withThem = await history.treeWith({ base: input.base, from: input.commit, paths, files: old })
  const second = withThem === change.tree ? nothingLost : await look(deps, { ...trying, tree: withThem }, signal)
  return { lost: second, withDependencies: true }
}

/** With what the runner said of each failure, by the test's id. */
export interface Lost extends LostTests {
  readonly why: ReadonlyMap<string, string>
}

const nothingLost: Lost = { failing: [], unrun: [], asked: 0, greened: [], why: new Map() }

/** Both names of what was renamed. */
function pathsOf(files: readonly ChangedFile[]): readonly string[] {
  return [...new Set(files.flatMap(({ path, from = path }) => [path, from]))]
}

function isInstalledFrom(path: string, { config }: VerifyInput): boolean {
  const inputs = config.prepare.flatMap((step) => step.inputs)
  return isPackageManifest(path) || /^(?:locked|installed) dependencies$/.test(guardedBy(path, inputs) ?? '')
}

const isHeld = ({ failing, unrun, greened }: LostTests) => [...failing, ...unrun, ...greened].length === 0

/** Whether a step that is green with the change was so before, so that it can be lost. */
function mayFail(base: TreeTests, change: TreeTests): boolean {
  return lostBetween({ base, change, between: null }).asked > 0
}

/** Whether a test was red before and is green now, which its sources must have done. */
function mayBeGreened(base: TreeTests, change: TreeTests): boolean {
  const steps = Object.entries(change.tests)
  return steps.some(([step, report]) => greenedTests({ base: base.tests[step] ?? null, change: report }).length > 0)
}

/** What does not pass on the tree, twice: a test that fails only once is flaky. */
async function look(deps: VariantDeps, trying: Trying & { readonly tree: string }, signal: AbortSignal): Promise<Lost> {
  const { input, folder, base, change, tree, flaky } = trying
  const variant = { tree, name: 'hybrid', about: 'Old tests, new sources of' }
  const first = lostBetween({ base, change, between: await runVariant(deps, { input, folder, variant }, signal) })
  if (isHeld(first)) return { ...first, why: new Map() }
  const again = await runVariant(
    deps,
    { input, folder, variant: { ...variant, name: 'hybrid-again' }, anew: true },
    signal,
  )
  const second = lostBetween({ base, change, between: again })
  const lost = new Set([...first.failing, ...first.unrun, ...first.greened].filter((id) => !flaky.includes(id)))
  const still = (ids: readonly string[]) => ids.filter((id) => lost.has(id))
  const { failing, unrun, asked, greened } = second
  return { failing: still(failing), unrun: still(unrun), asked, greened: still(greened), why: failuresIn(again) }
}

/** Whether a runner has named a test. */
const isNamed = ({ tests }: TreeTests) => Object.values(tests).some((report) => (report?.tests.length ?? 0) > 0)

function failuresIn({ tests }: TreeTests): ReadonlyMap<string, string> {
  const all = Object.values(tests).flatMap((report) => report?.tests ?? [])
  return new Map(all.flatMap(({ id, failure }) => (failure === undefined ? [] : [[id, failure]])))
}

/** Of all steps together; where no runner names a test, a step is one. */
function lostBetween({
  base,
  change,
  between,
}: {
  readonly base: TreeTests
  readonly change: TreeTests
  readonly between: TreeTests | null
}): LostTests {
  const isGreenIn = (tests: TreeTests | null, step: string) => {
    const ran = tests?.commands.find(({ name }) => name === step)
    return ran !== undefined && isGreen(ran, tests?.tests[step] ?? null)
  }
  const steps = change.commands.map(({ name }) => name)
  if (!isNamed(base)) {
    const asked = steps.filter((step) => isGreenIn(base, step) && isGreenIn(change, step))
    const failing = asked.filter((step) => !isGreenIn(between, step)).map((step) => `step ${step}`)
    return { failing, unrun: [], asked: asked.length, greened: [] }
  }
  const all = steps.map((step) => {
    const own = { base: base.tests[step] ?? null, change: change.tests[step] ?? null }
    const isGreenBetween = isGreenIn(between, step)
    const lost = lostTests({ ...own, between: between?.tests[step] ?? null, isGreen: isGreenBetween })
    // A test without a name has failed.
    const isUnexplained =
      own.base?.complete === false && !isGreenBetween && [...lost.failing, ...lost.unrun, ...lost.greened].length === 0
    if (!isUnexplained || !isGreenIn(base, step) || !isGreenIn(change, step)) return lost
    return { ...lost, failing: [`step ${step}`], asked: lost.asked + 1 }
  })
  return {
    failing: all.flatMap(({ failing }) => failing),
    unrun: all.flatMap(({ unrun }) => unrun),
    asked: all.reduce((sum, { asked }) => sum + asked, 0),
    greened: all.flatMap(({ greened }) => greened),
  }
}

async function tell(deps: VariantDeps, { input, base, change, files, kindOf }: Trying, lost: Lost): Promise<Tried> {
  const { failing, unrun, asked, greened, why } = lost
  const ids = [...failing, ...unrun]
  const what = isNamed(base) ? 'tests' : 'steps'
  const isBuilt = unrun.length < asked
  const claim = isBuilt
    ? `With the tests and the configuration of the base commit, the new sources fail ${ids.length} of ${asked} ${what} that passed before.`
    : `The tests of the base commit cannot run on the new sources: none of the ${asked} that passed before did.`
  const withFailure = (id: string) => (why.has(id) ? `${id}: ${why.get(id)?.split('\n')[0]}` : id)
  const lines = [...failing.map(withFailure), ...unrun.map((id) => `${id}: did not run`)]
  const judged = files.filter(({ path, from = path }) => [path, from].some((each) => kindOf(each) !== 'other'))
  const contents = await contentsOf(deps, { base, change, files: judged })
  const log = `logs/hybrid.log of ${input.runId}`
  const found: Suspicion[] = []
  if (ids.length > 0)
    found.push({
      ...{ kind: 'behaviour_changed', file: '', claim, evidence: `${listed(lines)}\n${log}` },
      identity: [...ids.toSorted(), ...contents],
    })
  if (greened.length > 0)
    found.push({
      ...{ kind: 'expectation_changed', file: '', evidence: `${listed(greened.map(withFailure))}\n${log}` },
      claim: `Of the tests that failed on the base commit ${greened.length} pass by the change’s tests, fixtures or configuration alone: with the base commit’s they still fail.`,
      identity: [...greened.toSorted(), ...contents],
    })
  if (ids.length === 0) return { hybrid: { status: 'held', failing: [] }, found }
  const status = isBuilt ? 'behaviour_changed' : 'not_built'
  return { hybrid: { status, failing: ids.slice(0, limits.gate.ids) }, found }
}

/**
 * The kinds that files have for the gate: `kindOf` for any path, `told` for the first changed
 * files.
 */
export function kindsOf(
  files: readonly ChangedFile[],
  config: VerifyInput['config'],
  known: { readonly named: ReadonlySet<string>; readonly tests: ReadonlySet<string> },
) {
  const inputs = config.prepare.flatMap((step) => step.inputs)
  const kindOf = (path: string) => fileKind(path, { inputs, ...known })
  const told: readonly FileOfKind[] = files.slice(0, limits.gate.files).map(({ path }) => ({ path, is: kindOf(path) }))
  return { kindOf, told }
}
