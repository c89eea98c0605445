import type { FileKind } from '../../domain/gate/file-kind.ts'
import { readStatements, testsLostAlone } from '../../domain/gate/kept/statements.ts'
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
}

/**
 * Test files that have lost only whole tests and the imports of these, as when a function is
 * removed with its tests. The remaining tests are the base's, word by word.
 */
export async function reducedTestFiles(
  deps: ComparingDeps,
  { input, change, files, kindOf }: Change,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const found: string[] = []
  const ids = Object.values(change.tests).flatMap((report) => report?.tests.map(({ id }) => id) ?? [])
  const running = new Set(ids.map((id) => id.split(' > ').at(-1) ?? id))
  const asked = files.filter(({ path, status }) => status === 'modified' && kindOf(path) === 'test')
  for (const { path } of asked.slice(0, limits.gate.files)) {
    const [was, is] = await Promise.all([
      textAt(deps, { sha: input.base, path }, signal),
      textAt(deps, { sha: input.commit, path }, signal),
    ])
    const [before, after] = [was, is].map((text) => (text === null ? null : readStatements(path, text)))
    const lost = before && after ? testsLostAlone(before, after) : []
    // A test that runs elsewhere has only moved.
    if (lost.length > 0 && !lost.some((name) => running.has(name))) found.push(path)
  }
  return found
}
