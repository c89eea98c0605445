import { ranIn } from '../../domain/gate/canaries/tests-named-in.ts'
import { fewerTests, namesFile } from '../../domain/gate/fewer-tests.ts'
import { guardedBy, isPackageManifest } from '../../domain/gate/guarded-file.ts'
import { reaching as loading, reachedBy } from '../../domain/gate/modules/graph.ts'
import type { Uses } from '../../domain/gate/modules/uses.ts'
import { limits } from '../../domain/limits.ts'
import { isTestFile } from '../../domain/story/plan.ts'
import { isGreen } from '../../domain/verification/reruns.ts'
import type { TestReportFormat } from '../../domain/verification/test-results.ts'
import { usesOfTree } from '../modules/uses-of-tree.ts'
import type { TreeTests } from '../tests-of-tree.ts'
import type { VerifyInput } from '../verification-place.ts'
import { testSteps } from './canary-places.ts'
import { filesReaching } from './reaching-tests.ts'
import { runVariant, type VariantDeps } from './run-variant.ts'
import { shortened } from './shortened-steps.ts'
import type { Trying } from './trying.ts'

/** Trees without most test files, and the change's results on such a tree. */
export interface NarrowTrees {
  /** The test files that the trees lack. */
  readonly without: readonly string[]
  /** Empty files in their places, with names of equal length that no runner takes for tests. */
  readonly files: readonly { readonly path: string; readonly content: string }[]
  /** The steps on the narrowed change: all of them are green. */
  readonly control: TreeTests
  /** True if a remaining test loads a file, directly or through others. */
  readonly reaches: (path: string) => boolean
  /** True if a file is a remaining test file. */
  readonly runs: (path: string) => boolean
  /** True if a missing test file names a file. */
  readonly isNamedOutside: (path: string) => boolean
}

/** Narrows the trees of one verification once for all lanes; the first caller runs the control. */
export type NarrowedOnce = (input: VerifyInput, signal: AbortSignal) => Promise<NarrowTrees | null>

/** Narrows at most once, in the checkout of the first caller. */
export function narrowOnce(deps: VariantDeps, trying: Trying): NarrowedOnce {
  let narrowed: Promise<NarrowTrees | null> | null = null
  return (input, signal) => {
    narrowed ??= narrow(deps, { ...trying, input }, signal)
    return narrowed
  }
}

/** Runners that find their test files by themselves. */
const finding: ReadonlySet<TestReportFormat> = new Set([
  ...(['node', 'tap', 'vitest', 'jest', 'mocha', 'ava', 'pytest', 'unittest'] as const),
])

/**
 * Narrows the trees of further runs to the changed tests and those that load a changed source: the
 * command stays, so that the runner finds only these. Null where the whole tree has to run: its
 * tests are fast, a command or configuration names test files, most of them are wanted, or the
 * change is not green with these alone.
 */
async function narrow(deps: VariantDeps, trying: Trying, signal: AbortSignal): Promise<NarrowTrees | null> {
  const { input, folder, change } = trying
  const testing = testSteps(trying)
  const took = change.commands.reduce((sum, { duration_ms }) => sum + duration_ms, 0)
  if (took < deps.testsOfTrees.narrowFromMs || change.status !== 'PASS' || testing.length === 0) return null
  if (testing.some(({ report }) => !finding.has(report.format) || !report.complete)) return null
  const uses = await usesOfTree(deps, change.commit, signal)
  if (uses === null) return null
  const ran = testing.map(({ report }) => ranIn(report))
  const run = [...uses.tests].filter((path) => ran.some((has) => has({ path, text: uses.tree.text(path) })))
  const wanted = await testsOfChange(deps, trying, uses, signal)
  const texts = await decidingTexts(deps, trying, signal)
  const without = texts && fewerTests({ graph: uses.graph, text: uses.tree.text, run, wanted, deciding: texts })
  if (!without) return null
  const files = without.map((path) => ({ path: standIn(path), content: '' }))
  const isTaken = Object.values(await deps.history.contents(input.commit, files.map(pathOf))).some(
    (each) => each !== null,
  )
  if (isTaken) return null
  const tree = await deps.history.treeWith({ base: input.commit, from: input.commit, paths: [], without, files })
  const variant = { tree, name: 'narrowed' }
  const asked = { input: { ...input, config: shortened(input.config, trying) }, folder, variant }
  const control = await runVariant(deps, asked, signal)
  const kept = run.filter((path) => !without.includes(path))
  if (!isSameForKept({ control, change, kept, text: uses.tree.text })) return null
  const reached = reachedBy(uses.graph, kept, { inTests: true })
  const isNamedOutside = (path: string) => without.some((each) => namesFile(uses.tree.text(each), path))
  const runs = (path: string) => kept.includes(path)
  return { without, files, control, reaches: (path) => reached.has(path), runs, isNamedOutside }
}

const pathOf = ({ path }: { readonly path: string }) => path

/**
 * A folder's size may reveal the number and length of its names, so stand-ins have names of equal
 * length.
 */
function standIn(path: string): string {
  return `${path.slice(0, -1)}${path.endsWith('x') ? 'y' : 'x'}`
}

/** The changed tests, the files that load them, and the files that load a changed source. */
async function testsOfChange(
  deps: VariantDeps,
  { change, files, kindOf }: Trying,
  { graph }: Uses,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const there = files.flatMap(({ path, status }) => (status === 'deleted' ? [] : [path]))
  const sources = there.filter((path) => kindOf(path) === 'source')
  const reaching = await filesReaching(deps, { sha: change.commit, paths: sources }, signal)
  const tests = there.filter((path) => kindOf(path) === 'test' || isTestFile(path))
  return [...tests, ...loading(graph, { from: graph.modules, wanted: tests }), ...reaching]
}

/** The commands of the steps, and files of the change that decide about them; null if too many. */
async function decidingTexts(
  deps: VariantDeps,
  { input, base, change }: Trying,
  signal: AbortSignal,
): Promise<readonly string[] | null> {
  const { steps, prepare } = input.config
  const inputs = prepare.flatMap((step) => step.inputs)
  const known = new Set(base.deciding?.files.map(({ path }) => path))
  const isWanted = (path: string) => known.has(path) || isPackageManifest(path) || guardedBy(path, inputs) !== null
  const { files, bytes, fileBytes } = limits.modules
  const { texts, whole } = await deps.history.texts(change.commit, { isWanted, files, bytes, fileBytes, signal })
  return whole ? [...steps.map(({ command }) => command), ...texts.values()] : null
}

interface ControlComparison {
  readonly control: TreeTests
  readonly change: TreeTests
  /** Test files that the narrowed tree has. */
  readonly kept: readonly string[]
  readonly text: (path: string) => string
}

/** True if all steps are green on the narrowed tree, and ran the tests of each kept file. */
function isSameForKept({ control, change, kept, text }: ControlComparison): boolean {
  if (!control.commands.every((ran) => isGreen(ran, control.tests[ran.name] ?? null))) return false
  return testSteps({ change }).every(({ name, report }) => {
    const now = control.tests[name] ?? null
    if (now === null) return false
    const [had, has] = [ranIn(report), ranIn(now)]
    return kept.every((path) => {
      const file = { path, text: text(path) }
      return !had(file) || has(file)
    })
  })
}
