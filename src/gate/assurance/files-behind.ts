import { declaredTests } from '../../domain/gate/declared-tests.ts'
import type { FileKind } from '../../domain/gate/file-kind.ts'
import { limits } from '../../domain/limits.ts'
import { testFileOf } from '../../domain/verification/compare-tests.ts'
import type { RunFolder } from '../../ports/artifacts.ts'
import type { ChangedFile } from '../../ports/history.ts'
import { textAt } from '../findings/compared-files.ts'
import type { TreeTests } from '../tests-of-tree.ts'
import type { VerifyInput } from '../verification-place.ts'
import { lostBetween } from './lost-between.ts'
import { runVariant, type VariantDeps } from './run-variant.ts'

interface Greening {
  readonly input: VerifyInput
  readonly folder: RunFolder
  readonly base: TreeTests
  readonly change: TreeTests
  readonly files: readonly ChangedFile[]
  readonly kindOf: (path: string) => FileKind
  readonly comparing: ReadonlySet<string>
  /** Ids of tests that became green because of files other than sources. */
  readonly greened: readonly string[]
}

/**
 * The changed files that made tests green without a source: data and helpers of tests without whose
 * new version the tests fail, else the test files themselves. Data and helpers are reverted
 * together first, and one by one only if that turns a test red.
 */
export async function filesBehind(
  deps: VariantDeps,
  greening: Greening,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { input, folder, change, files, kindOf, greened } = greening
  const support: string[] = []
  const own: string[] = []
  for (const { path, status, from = path } of files.slice(0, limits.gate.files)) {
    if (status === 'added' || !['test', 'fixture'].includes(kindOf(from))) continue
    const text = kindOf(from) === 'test' ? await textAt(deps, { sha: input.base, path: from }, signal) : null
    const isTests = text !== null && declaredTests(text, from).length > 0
    if (isTests) own.push(path)
    else support.push(from)
  }
  /** True if a test that the change made green is red with the old version of these files. */
  const isRedWith = async (paths: readonly string[], name: string) => {
    const tree = await deps.history.treeWith({ base: input.commit, from: input.base, paths })
    if (tree === change.tree) return false
    const variant = { tree, name }
    const between = await runVariant(deps, { input, folder, variant }, signal)
    const { greened: lost } = lostBetween({ ...greening, between })
    return lost.some((id) => greened.includes(id))
  }
  const named = new Set(greened.map(testFileOf))
  const ofTests = own.filter((path) => named.has(path))
  const rest = ofTests.length > 0 ? ofTests : own
  if (support.length === 0 || !(await isRedWith(support, 'expectations'))) return rest
  if (support.length === 1) return support
  const found: string[] = []
  for (const [i, path] of support.slice(0, limits.assurance.expectations).entries())
    if (await isRedWith([path], `expectations-${i + 1}`)) found.push(path)
  return found.length > 0 ? found : support
}
