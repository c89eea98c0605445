import type { FileKind } from '../../domain/gate/file-kind.ts'
import { leafOf } from '../../domain/gate/kept/leaf-of.ts'
import { namesOfTests, testsLostAlone } from '../../domain/gate/kept/lost-tests.ts'
import { limits } from '../../domain/limits.ts'
import type { ChangedFile } from '../../ports/history.ts'
import { type ComparingDeps, textAt } from '../findings/compared-files.ts'
import type { TreeTests } from '../tests-of-tree.ts'
import type { VerifyInput } from '../verification-place.ts'

interface Change {
  readonly input: Pick<VerifyInput, 'base' | 'commit'>
  readonly change: Pick<TreeTests, 'tests'>
  readonly files: readonly ChangedFile[]
  readonly kindOf: (path: string) => FileKind
  readonly renamed?: ReadonlySet<string>
}

/**
 * Test files that have lost only whole tests and what these alone needed, as when a function is
 * removed with its tests, or a module with its test file. The remaining tests are the base's, word
 * by word.
 */
export async function reducedTestFiles(
  deps: ComparingDeps,
  { input, change, files, kindOf, renamed }: Change,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const found: string[] = []
  const asked = files.filter(({ path, status }) => /^(?:modified|deleted)$/.test(status) && kindOf(path) === 'test')
  for (const { path, status } of asked.slice(0, limits.gate.files)) {
    const [was, is] = await Promise.all([
      textAt(deps, { sha: input.base, path }, signal),
      status === 'deleted' ? null : textAt(deps, { sha: input.commit, path }, signal),
    ])
    if (was === null) continue
    const lost = status === 'deleted' ? namesOfTests(path, was) : is === null ? [] : testsLostAlone(path, was, is)
    if (isLost(change, lost, renamed)) found.push(path)
  }
  return found
}

/** Whether tests run nowhere; a test that runs elsewhere, or under another name, has only moved. */
export function isLost(
  { tests }: Pick<TreeTests, 'tests'>,
  names: readonly string[],
  renamed: ReadonlySet<string> = new Set(),
): boolean {
  const ids = Object.values(tests).flatMap((report) => report?.tests.map(({ id }) => id) ?? [])
  const running = new Set([...ids, ...renamed].map(leafOf))
  return names.length > 0 && !names.some((name) => running.has(leafOf(name)))
}
