import { isCode } from '../../domain/gate/code-syntax.ts'
import { limits } from '../../domain/limits.ts'
import { mayWrite } from '../../domain/run/step-writes.ts'
import { type WatchOfFew, watchFewTests } from '../tracing/watch-few-tests.ts'
import { testSteps } from './canary-places.ts'
import type { NarrowedOnce, NarrowTrees } from './narrowing.ts'
import type { VariantDeps } from './run-variant.ts'
import type { Trying } from './trying.ts'

interface FewAsked extends Pick<Trying, 'input' | 'change'> {
  readonly narrowed: NarrowedOnce
  /** Paths that the tree takes from the change. */
  readonly taken: readonly string[]
  /** Changed test files that the tree must have. */
  readonly tests: readonly string[]
}

/** A tree without most test files, whose processes are watched. */
interface WatchedFew {
  readonly few: NarrowTrees
  /** The result of the run counts only if the watch tells nothing. */
  readonly watch: WatchOfFew
}

/**
 * Narrows a tree for a run that must give the same results as one with all test files. Null where
 * nothing could show that no process noticed their absence: the runner shares processes between
 * test files, steps share files or services, or the sandbox cannot trace.
 */
export async function watchedFew(
  deps: VariantDeps,
  { input, change, narrowed, taken, tests }: FewAsked,
  signal: AbortSignal,
): Promise<WatchedFew | null> {
  const { services = [] } = input.config
  const testing = testSteps({ change })
  // Only node's own runner gives each file a process that cannot have seen the others.
  const isApart = testing.every(({ report }) => report.format === 'node' || report.format === 'tap')
  if (!isApart || services.length > 0 || mayWrite(input.config) || !tests.every(isCode)) return null
  // An image may have further places where one test file leaves something for the next.
  if ((await deps.sandbox.whyNotTraced({ remembered: true })) !== null || deps.sandbox.name !== 'bubblewrap')
    return null
  const few = await narrowed(input, signal)
  if (few === null || tests.some((path) => few.without.includes(path))) return null
  const { without, files } = few
  const listed = await deps.history.committed(input.base).list('**', limits.testReport.tests, signal)
  if (!listed.ok || listed.value.truncated) return null
  const watch = watchFewTests(
    {
      gone: without,
      standIns: files.map(({ path }) => path),
      folder: input.config.package,
      readOnlyPaths: input.config.sandbox.readOnlyPaths,
      files: new Set([...listed.value.paths, ...taken]),
    },
    { steps: testing.map(({ name }) => name) },
  )
  return { few, watch }
}
