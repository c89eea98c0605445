import { isSnapshot } from '../../domain/gate/canaries/spoil-snapshot.ts'
import { greenedTests, type LostTests } from '../../domain/verification/assurance.ts'
import { isGreen } from '../../domain/verification/reruns.ts'
import type { ChangedFile } from '../../ports/history.ts'
import type { TreeTests } from '../tests-of-tree.ts'
import { areHeldByFew } from './few-old-tests.ts'
import { installedFiles } from './installed-files.ts'
import { isNamed, lostBetween } from './lost-between.ts'
import type { NarrowedOnce } from './narrowing.ts'
import { reducedTestFiles } from './reduced-test-files.ts'
import { renamedSupport } from './renamed-support.ts'
import { runVariant, type VariantDeps } from './run-variant.ts'
import { sourcesWithOldTests } from './sources-with-old-tests.ts'
import { type HybridTrial, type LossExplanation, type Lost, tellLostTests } from './tell-lost-tests.ts'
import type { Trying } from './trying.ts'

interface TryingOld extends Trying {
  /** Few test files run first if given. */
  readonly narrowed?: NarrowedOnce
}

/**
 * Old tests, old configuration, new sources: the base commit's tree with nothing but the change's
 * sources. This shows if what passed before still passes, whatever the change did to tests and
 * configuration. Sources that apparently only tests load are tried twice if possible: in the
 * change's version, and in the base commit's.
 */
export async function tryHybrid(deps: VariantDeps, trying: TryingOld, signal: AbortSignal): Promise<HybridTrial> {
  const { likely } = trying
  const taken = await takenFrom(deps, trying, signal)
  const first = await tryTaking(deps, { ...trying, taken }, signal)
  const others = taken.filter((path) => !likely.has(path))
  if (first.found.length > 0 || others.length === taken.length) return first
  const judged = await tryTaking(deps, { ...trying, taken: others, kept: [...likely] }, signal)
  return judged.hybrid.status === 'not_tried' ? first : judged
}

/** The way in which the old tests have run before `tryHybrid`: on few test files, or all. */
type StartedHybrid = 'few' | 'whole' | null

/**
 * Runs the steps on the tree that `tryHybrid` is likely to need first, so that it finds the
 * results. While the change's own steps still run, `change` has the results of the base. Returns
 * null if there was no such tree.
 */
export async function startHybrid(deps: VariantDeps, trying: TryingOld, signal: AbortSignal): Promise<StartedHybrid> {
  const unrun = { ...trying, change: { ...trying.change, tests: {} } }
  const [taken, ifLost] = await Promise.all([takenFrom(deps, trying, signal), takenFrom(deps, unrun, signal)])
  // Only the change's results show if removed tests run elsewhere.
  if (taken.length !== ifLost.length) return null
  const found = await treeFor(deps, { ...trying, taken }, signal)
  if ('reason' in found) return null
  const old = await sourcesWithOldTests(deps, unrun, signal)
  if (JSON.stringify(old) !== JSON.stringify(found.old)) return null
  const { input, folder, narrowed } = trying
  if (narrowed && (await areHeldByFew(deps, { ...trying, narrowed, taken, old }, signal))) return 'few'
  await runVariant(deps, { input, folder, variant: { tree: found.tree, name: 'hybrid' } }, signal)
  return 'whole'
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

interface Taking extends TryingOld {
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
    : await tellLostTests(deps, taking, await bySnapshots(deps, taking, lost, signal), signal)
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
  const { narrowed, kept = [], name } = taking
  const isPlain = kept.length === 0 && name === undefined
  if (isPlain && narrowed && (await areHeldByFew(deps, { ...taking, narrowed, old }, signal)))
    return { lost: nothingLost, withDependencies: false }
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
