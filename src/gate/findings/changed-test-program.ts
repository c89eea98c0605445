import { addsOnlyAssertions, declaresOwnTests } from '../../domain/gate/own-tests.ts'
import { isTestFile } from '../../domain/story/plan.ts'
import { type ComparingDeps, type OneFile, textAt } from './compared-files.ts'

/**
 * True if a program is a test file both in the base commit and in the change. Although a step names
 * the program like a script that runs tests, its tests are compared like those of other test files.
 */
export async function staysTests(
  deps: ComparingDeps,
  { base, change, file }: OneFile,
  signal: AbortSignal,
): Promise<boolean> {
  const { path, from = path, status } = file
  if (status === 'added' || status === 'deleted' || ![path, from].every(isTestFile)) return false
  const before = await textAt(deps, { sha: base.commit, path: from }, signal)
  const after = await textAt(deps, { sha: change.commit, path }, signal)
  if (before === null || after === null) return false
  if (path === from && addsOnlyAssertions(before, after, path)) return true
  return declaresOwnTests(before, from) && declaresOwnTests(after, path)
}
