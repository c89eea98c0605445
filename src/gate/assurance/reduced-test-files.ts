import { fileParts } from '../../domain/gate/canaries/file-parts.ts'
import type { FileKind } from '../../domain/gate/file-kind.ts'
import { leafOf } from '../../domain/gate/kept/leaf-of.ts'
import { namesOfTests, testsLostAlone } from '../../domain/gate/kept/lost-tests.ts'
import { isForGraph, isModule } from '../../domain/gate/modules/build-graph.ts'
import { isC } from '../../domain/gate/modules/c-modules.ts'
import type { Uses } from '../../domain/gate/modules/uses.ts'
import { limits } from '../../domain/limits.ts'
import type { RunConfig } from '../../domain/run/run-config.ts'
import type { ChangedFile } from '../../ports/history.ts'
import { type ComparingDeps, textAt } from '../findings/compared-files.ts'
import { usesOfTree } from '../modules/uses-of-tree.ts'
import type { TreeTests } from '../tests-of-tree.ts'
import type { VerifyInput } from '../verification-place.ts'

interface Change {
  readonly input: Pick<VerifyInput, 'base' | 'commit' | 'config'>
  readonly base: Pick<TreeTests, 'tests'>
  readonly change: Pick<TreeTests, 'tests'>
  readonly files: readonly ChangedFile[]
  readonly kindOf: (path: string) => FileKind
  readonly renamed?: ReadonlySet<string>
}

/**
 * Test files that have lost only whole tests and the code that only those needed, as when a
 * function is removed with its tests, or a module with its test file. The remaining tests are the
 * base's, word by word.
 */
export async function reducedTestFiles(
  deps: ComparingDeps,
  { input, base, change, files, kindOf, renamed }: Change,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const found: string[] = []
  const uses = await usesOfTree(deps, input.base, signal)
  const asked = files.filter(({ path, status }) => /^(?:modified|deleted)$/.test(status) && kindOf(path) === 'test')
  for (const { path, status } of asked.slice(0, limits.gate.files)) {
    const [was, is] = await Promise.all([
      textAt(deps, { sha: input.base, path }, signal),
      status === 'deleted' ? null : textAt(deps, { sha: input.commit, path }, signal),
    ])
    if (was === null) continue
    if (status === 'deleted') {
      const names = namesOfTests(path, was)
      if (!isNamed(uses, input.config, path) && isToldAsRemoved({ base, change, renamed }, names)) found.push(path)
    } else if (is !== null && isLost(change, testsLostAlone(path, was, is), renamed)) found.push(path)
  }
  return found
}

/** True if another file or a command names a test file, and so needs it. */
function isNamed(uses: Uses | null, { steps }: RunConfig, path: string): boolean {
  const { stem, end } = fileParts(path)
  const loads = [...(uses?.graph.loads ?? [])].some(([from, all]) => from !== path && all.has(path))
  const manifests = uses?.tree.paths.filter((each) => isForGraph(each) && !isModule(each)) ?? []
  const texts = [...steps.map(({ command }) => command), ...manifests.map((each) => uses?.tree.text(each) ?? '')]
  return loads || texts.some((text) => text.includes(`${stem}${end}`) || (isC(path) && text.includes(stem)))
}

/** True if tests ran by their names before, and run nowhere now: `tests_removed` reports them. */
export function isToldAsRemoved(
  {
    base,
    change,
    renamed,
  }: {
    readonly base: Pick<TreeTests, 'tests'>
    readonly change: Pick<TreeTests, 'tests'>
    readonly renamed?: ReadonlySet<string> | undefined
  },
  names: readonly string[],
): boolean {
  const ids = Object.values(base.tests).flatMap((report) => report?.tests.map(({ id }) => leafOf(id)) ?? [])
  const ran = new Set(ids)
  return isLost(change, names, renamed) && names.every((name) => ran.has(leafOf(name)))
}

/** True if none of the tests runs any more; one that moved or was renamed still runs. */
export function isLost(
  { tests }: Pick<TreeTests, 'tests'>,
  names: readonly string[],
  renamed: ReadonlySet<string> = new Set(),
): boolean {
  const ids = Object.values(tests).flatMap((report) => report?.tests.map(({ id }) => id) ?? [])
  const running = new Set([...ids, ...renamed].map(leafOf))
  return names.length > 0 && !names.some((name) => running.has(leafOf(name)))
}
