import { isCode } from '../../domain/gate/code-syntax.ts'
import type { TreeTests } from '../tests-of-tree.ts'
import { lostBetween } from './lost-between.ts'
import type { NarrowedOnce } from './narrowing.ts'
import { runVariant, type VariantDeps } from './run-variant.ts'
import type { Trying } from './trying.ts'
import { watchedFew } from './watched-few.ts'

interface FewOldTests extends Trying {
  readonly narrowed: NarrowedOnce
  /** Paths with the content of the change. */
  readonly taken: readonly string[]
  /** Sources that got their old tests back. */
  readonly old: readonly { readonly path: string; readonly content: string }[]
}

/**
 * True if the old tests of few test files show that nothing is lost on the new sources: those that
 * changed and those that load a changed file. Each other test has passed with the change already,
 * and loads nothing that the two trees have in different versions. False says nothing.
 */
export async function areHeldByFew(deps: VariantDeps, asked: FewOldTests, signal: AbortSignal): Promise<boolean> {
  const { input, folder, base, change, files, kindOf, comparing, narrowed, taken, old, renamed } = asked
  const paths = [...new Set(files.flatMap(({ path, from = path }) => [path, from]))]
  const others = paths.filter((path) => !taken.includes(path))
  // Data and configuration can be read in ways that no text shows.
  if (comparing.size > 0 || renamed?.size || !others.every((path) => kindOf(path) === 'test' && isCode(path)))
    return false
  const changed = files.flatMap(({ path, status }) => (status !== 'deleted' && others.includes(path) ? [path] : []))
  const watched = await watchedFew(deps, { input, change, narrowed, taken, tests: changed }, signal)
  if (watched === null || paths.some(watched.few.isNamedOutside)) return false
  const { few, watch } = watched
  // Any test may find a helper or a source by a computed name or a list of its folder.
  const sources = paths.filter((path) => kindOf(path) === 'source')
  if (!others.every(few.runs) || !sources.every(few.reaches)) return false
  const tree = await deps.history.treeWith({
    base: input.base,
    from: input.commit,
    paths: taken,
    without: few.without,
    files: [...old, ...few.files],
  })
  const variant = { tree, name: 'hybrid-narrowed' }
  const ran = await runVariant(deps, { input, folder, variant, watch }, signal)
  const isWhole = ran.status === 'PASS' && Object.values(ran.tests).every((report) => report?.complete !== false)
  if (ran.noticed !== null || !isWhole) return false
  const { failing, unrun, greened } = lostBetween({
    base,
    change,
    comparing,
    between: withRest(ran, few.control, change),
  })
  return [...failing, ...unrun, ...greened].length === 0
}

/** Adds the change's results for the tests that a narrow tree does not have. */
function withRest(ran: TreeTests, control: TreeTests, change: TreeTests): TreeTests {
  const tests = Object.entries(ran.tests).map(([step, report]) => {
    // A skipped test may have the name of one in a missing file.
    const few = new Set([control.tests[step], report].flatMap((each) => each?.tests.map(({ id }) => id) ?? []))
    const rest = change.tests[step]?.tests.filter(({ id }) => !few.has(id)) ?? []
    return [step, report && { ...report, tests: [...report.tests, ...rest] }] as const
  })
  return { ...ran, tests: Object.fromEntries(tests) }
}
