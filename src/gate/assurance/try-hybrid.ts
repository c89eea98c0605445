import { isSnapshot } from '../../domain/gate/canaries/spoil-snapshot.ts'
import type { FileKind } from '../../domain/gate/file-kind.ts'
import { listed, type Suspicion } from '../../domain/gate/gate-finding.ts'
import { limits } from '../../domain/limits.ts'
import { greenedTests, type Hybrid, type LostTests } from '../../domain/verification/assurance.ts'
import { isGreen } from '../../domain/verification/reruns.ts'
import type { RunFolder } from '../../ports/artifacts.ts'
import type { ChangedFile } from '../../ports/history.ts'
import { contentsOf } from '../findings/compared-files.ts'
import type { TreeTests } from '../tests-of-tree.ts'
import type { VerifyInput } from '../verification-place.ts'
import { exchangedSnapshots } from './exchanged-snapshots.ts'
import { filesBehind } from './files-behind.ts'
import type { FlakyTests } from './flaky-tests.ts'
import { installedFiles } from './installed-files.ts'
import { isNamed, lostBetween } from './lost-between.ts'
import { reducedTestFiles } from './reduced-test-files.ts'
import { renamedSupport } from './renamed-support.ts'
import { runVariant, type VariantDeps } from './run-variant.ts'
import { sourcesWithOldTests } from './sources-with-old-tests.ts'

export interface Trying {
  readonly input: VerifyInput
  readonly folder: RunFolder
  readonly base: TreeTests
  readonly change: TreeTests
  readonly files: readonly ChangedFile[]
  /** The role of each path of the change for the gate. */
  readonly kindOf: (path: string) => FileKind
  /** Changed sources that apparently only tests load. */
  readonly likely: ReadonlySet<string>
  /** Steps whose commands compare results with changed data of tests. */
  readonly comparing: ReadonlySet<string>
  /** Ids of the base's tests that the change renamed. */
  readonly renamed?: ReadonlySet<string>
  readonly flaky: FlakyTests
}

export interface HybridTrial {
  readonly hybrid: Hybrid
  readonly found: readonly Suspicion[]
}

/**
 * Old tests, old configuration, new sources: the base commit's tree with nothing but the change's
 * sources. This shows if what passed before still passes, whatever the change did to tests and
 * configuration. Sources that apparently only tests load are tried twice if possible: in the
 * change's version, and in the base commit's.
 */
export async function tryHybrid(deps: VariantDeps, trying: Trying, signal: AbortSignal): Promise<HybridTrial> {
  const { likely } = trying
  const taken = await takenFrom(deps, trying, signal)
  const first = await tryTaking(deps, { ...trying, taken }, signal)
  const others = taken.filter((path) => !likely.has(path))
  if (first.found.length > 0 || others.length === taken.length) return first
  const judged = await tryTaking(deps, { ...trying, taken: others, kept: [...likely] }, signal)
  return judged.hybrid.status === 'not_tried' ? first : judged
}

/**
 * Runs the steps on the tree that `tryHybrid` is likely to need first, so that it finds the
 * results. While the change's own steps still run, `change` has the results of the base. Returns
 * true if there was such a tree.
 */
export async function startHybrid(deps: VariantDeps, trying: Trying, signal: AbortSignal): Promise<boolean> {
  const unrun = { ...trying, change: { ...trying.change, tests: {} } }
  const [taken, ifLost] = await Promise.all([takenFrom(deps, trying, signal), takenFrom(deps, unrun, signal)])
  // Only the change's results show if removed tests run elsewhere.
  if (taken.length !== ifLost.length) return false
  const found = await treeFor(deps, { ...trying, taken }, signal)
  if ('reason' in found) return false
  const old = await sourcesWithOldTests(deps, unrun, signal)
  if (JSON.stringify(old) !== JSON.stringify(found.old)) return false
  const { input, folder } = trying
  await runVariant(deps, { input, folder, variant: { tree: found.tree, name: 'hybrid' } }, signal)
  return true
}

/** Paths that come from the change: sources, text for people, and reduced test files. */
async function takenFrom(deps: VariantDeps, trying: Trying, signal: AbortSignal): Promise<readonly string[]> {
  const { files, kindOf } = trying
  // A test file that lost only whole tests is otherwise unchanged; the lost tests are reported
  // separately.
  const reduced = await reducedTestFiles(deps, trying, signal)
  const same = await renamedSupport(deps, trying, signal)
  const isTaken = (path: string) => ['source', 'other'].includes(kindOf(path)) && !same.has(path)
  return [...pathsOf(files).filter(isTaken), ...reduced]
}

interface Taking extends Trying {
  /** Paths with the content of the change. */
  readonly taken: readonly string[]
  /** Changed sources with the content of the base: only tests that passed before count. */
  readonly kept?: readonly string[]
  /** Name of the run's log. */
  readonly name?: string
}

async function tryTaking(deps: VariantDeps, taking: Taking, signal: AbortSignal): Promise<HybridTrial> {
  const asked = await ask(deps, taking, signal)
  if ('reason' in asked) return { hybrid: { status: 'not_tried', failing: [], reason: asked.reason }, found: [] }
  const { lost, withDependencies } = asked
  const { hybrid, found }: HybridTrial = isHeld(lost)
    ? { hybrid: { status: 'held', failing: [] }, found: [] }
    : await tell(deps, taking, await bySnapshots(deps, taking, lost, signal), signal)
  return { hybrid: { ...hybrid, ...(withDependencies && { with_dependencies: true }) }, found }
}

/** The results of the old tests on the new sources, or the reason why the tests did not run. */
type OldTests = { readonly reason: string } | { readonly lost: Lost; readonly withDependencies: boolean }

export async function askOldTests(deps: VariantDeps, trying: Trying, signal: AbortSignal): Promise<OldTests> {
  return ask(deps, { ...trying, taken: await takenFrom(deps, trying, signal) }, signal)
}

type FoundTree =
  | { readonly reason: string }
  | { readonly tree: string; readonly old: Awaited<ReturnType<typeof sourcesWithOldTests>> }

/** The tree on which the old tests run, with the sources that got their old tests back. */
async function treeFor(deps: VariantDeps, taking: Taking, signal: AbortSignal): Promise<FoundTree> {
  const { input, base, change, kindOf, taken, kept = [] } = taking
  const isGreened = kept.length === 0 && mayBeGreened(taking)
  if (!isGreened && !taken.some((path) => kindOf(path) === 'source')) return { reason: 'no source was changed' }
  const { history } = deps
  const all = await sourcesWithOldTests(deps, taking, signal)
  const old = all.filter(({ path }) => !kept.includes(path))
  const tree = await history.treeWith({ base: input.base, from: input.commit, paths: taken, files: old })
  if (tree === change.tree || (tree === base.tree && kept.length > 0))
    return { reason: 'nothing but sources was changed' }
  if (!isGreened && !mayFail(taking)) return { reason: 'nothing passed on the base commit' }
  return { tree, old }
}

async function ask(deps: VariantDeps, taking: Taking, signal: AbortSignal): Promise<OldTests> {
  const { input, change, taken } = taking
  const asked = await treeFor(deps, taking, signal)
  if ('reason' in asked) return asked
  const { tree, old } = asked
  const first = await look(deps, { ...taking, tree }, signal)
  if (isHeld(first)) return { lost: first, withDependencies: false }
  // New sources may need dependencies that the change installs.
  const installed = await installedFiles(deps, taking, signal)
  if (installed.paths.length + installed.files.length === 0) return { lost: first, withDependencies: false }
  const paths = [...taken, ...installed.paths]
  const withThem = await deps.history.treeWith({
    base: input.base,
    from: input.commit,
    paths,
    files: [...old, ...installed.files],
  })
  const second = withThem === change.tree ? nothingLost : await look(deps, { ...taking, tree: withThem }, signal)
  return { lost: second, withDependencies: true }
}

/** Lost tests, with the runner's message for each failure by the test's id. */
interface Lost extends LostTests {
  readonly why: ReadonlyMap<string, string>
}

export const nothingLost: Lost = { failing: [], unrun: [], asked: 0, greened: [], gone: [], why: new Map() }

/** Both the old and the new names of renamed files. */
function pathsOf(files: readonly ChangedFile[]): readonly string[] {
  return [...new Set(files.flatMap(({ path, from = path }) => [path, from]))]
}

const isHeld = ({ failing, unrun, greened }: LostTests) => [...failing, ...unrun, ...greened].length === 0

/**
 * True if a step that is green with the change was green before, so that there is something to
 * lose.
 */
function mayFail(trying: Trying): boolean {
  return lostBetween({ ...trying, between: null }).asked > 0
}

/** True if a test was red before and is green now, which must be the work of sources. */
function mayBeGreened({ base, change, comparing }: Trying): boolean {
  const isUnnamed = !isNamed(base)
  return change.commands.some((ran) => {
    const [before, now] = [base.tests[ran.name] ?? null, change.tests[ran.name] ?? null]
    if (greenedTests({ base: before, change: now }).length > 0) return true
    const was = base.commands.find(({ name }) => name === ran.name)
    const isCompared = (isUnnamed || before === null) && comparing.has(ran.name)
    return isCompared && was !== undefined && !isGreen(was, before) && isGreen(ran, now)
  })
}

/** The tests that do not pass on the tree, twice: a test that fails only once is flaky. */
async function look(deps: VariantDeps, taking: Taking & { readonly tree: string }, signal: AbortSignal): Promise<Lost> {
  const { input, folder, tree, flaky, kept = [] } = taking
  const { name = kept.length === 0 ? 'hybrid' : 'hybrid-support' } = taking
  const variant = { tree, name }
  // Kept sources may be the tested code, which may have made a test green.
  const between = (ran: TreeTests) => {
    const lost = lostBetween({ ...taking, between: ran })
    return kept.length === 0 ? lost : { ...lost, greened: [] }
  }
  const first = between(await runVariant(deps, { input, folder, variant }, signal))
  if (isHeld(first)) return { ...first, why: new Map() }
  const again = await runVariant(
    deps,
    { input, folder, variant: { ...variant, name: `${name}-again` }, anew: true },
    signal,
  )
  const second = between(again)
  const lost = new Set([...first.failing, ...first.unrun, ...first.greened])
  const { failing, unrun, asked, greened, gone } = second
  const excused = await flaky.onBase(
    taking,
    [...failing, ...unrun, ...greened].filter((id) => lost.has(id)),
  )
  const still = (ids: readonly string[]) => ids.filter((id) => lost.has(id) && !excused.has(id))
  const why = failuresIn(again)
  return { failing: still(failing), unrun: still(unrun), asked, greened: still(greened), gone, why }
}

function failuresIn({ tests }: TreeTests): ReadonlyMap<string, string> {
  const all = Object.values(tests).flatMap((report) => report?.tests ?? [])
  return new Map(all.flatMap(({ id, failure }) => (failure === undefined ? [] : [[id, failure]])))
}

/** All lost tests, and those that stay lost with the change's snapshots. */
interface LossExplanation {
  readonly all: Lost
  readonly lost: Lost
  readonly snapshots: readonly string[]
  readonly byThem: readonly string[]
}

/** Tries the changed snapshots with the old tests: a snapshot is only data that a test compares. */
async function bySnapshots(
  deps: VariantDeps,
  taking: Taking,
  all: Lost,
  signal: AbortSignal,
): Promise<LossExplanation> {
  const { files, kindOf, taken, kept = [] } = taking
  const isChanged = ({ path, status }: ChangedFile) =>
    status === 'modified' && isSnapshot(path) && kindOf(path) === 'fixture'
  const snapshots = files.filter(isChanged).map(({ path }) => path)
  const none = { all, lost: all, snapshots, byThem: [] }
  if (kept.length > 0 || snapshots.length === 0 || all.failing.length === 0) return none
  const asked = await ask(deps, { ...taking, taken: [...taken, ...snapshots], name: 'hybrid-snapshots' }, signal)
  const rest = 'reason' in asked ? nothingLost : asked.lost
  const still = new Set([...rest.failing, ...rest.unrun])
  const byThem = all.failing.filter((id) => !still.has(id))
  return { ...none, byThem, lost: { ...all, failing: all.failing.filter((id) => still.has(id)) } }
}

async function tell(
  deps: VariantDeps,
  taking: Taking,
  explained: LossExplanation,
  signal: AbortSignal,
): Promise<HybridTrial> {
  const { input, base, change, files, kindOf, kept = [] } = taking
  const { all, snapshots, byThem } = explained
  const { failing, unrun, asked, greened, why } = explained.lost
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
  const support = kept.length === 0 ? '' : `\nas the base commit has them:\n${listed(kept)}`
  const log = `logs/hybrid${kept.length === 0 ? '' : '-support'}.log of ${input.runId}${support}`
  const found: Suspicion[] = []
  if (ids.length > 0)
    found.push({
      kind: 'behaviour_changed',
      file: '',
      claim,
      evidence: `${listed(lines)}\n${log}`,
      identity: [...ids.toSorted(), ...contents],
    })
  if (greened.length > 0) {
    const behind = await filesBehind(deps, { ...taking, greened }, signal)
    const [file = ''] = behind.length === 1 ? behind : []
    const because =
      behind.length === 0 ? '' : `\nwith the base commit’s version of one of these they fail:\n${listed(behind)}`
    found.push({
      kind: 'expectation_changed',
      file,
      evidence: `${listed(greened.map(withFailure))}${because}\n${log}`,
      claim: `Of the tests that failed on the base commit ${greened.length} pass by the change’s tests, fixtures or configuration alone: with the base commit’s they still fail.`,
      identity: [...greened.toSorted(), ...contents],
    })
  }
  if (byThem.length > 0) found.push(await exchangedSnapshots(deps, { ...taking, snapshots, byThem }))
  const lost = [...all.failing, ...all.unrun]
  if (lost.length === 0) return { hybrid: { status: 'held', failing: [] }, found }
  const status = isBuilt ? 'behaviour_changed' : 'not_built'
  return { hybrid: { status, failing: lost.slice(0, limits.gate.ids) }, found }
}
