import { declaredTests } from '../../domain/gate/declared-tests.ts'
import { guardedBy, isSetUpUnlessTests } from '../../domain/gate/guarded-file.ts'
import { limits } from '../../domain/limits.ts'
import { type ChangeComparison, type ComparingDeps, type OneFile, textAt } from './compared-files.ts'

/** Paths of changed files that are named like set-up of tests, and declare tests. */
export async function testsCalledSetUp(
  deps: ComparingDeps,
  compared: ChangeComparison,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  for (const file of compared.files.slice(0, limits.gate.files))
    if (await declaresTests(deps, { ...compared, file }, signal)) found.add(file.path).add(file.from ?? file.path)
  return found
}

/**
 * True if a file that is named like set-up declares tests wherever it exists: in the base commit
 * and in the change. Set-up to which a change adds a test stays set-up.
 */
export async function declaresTests(
  deps: ComparingDeps,
  { base, change, config, file }: OneFile,
  signal: AbortSignal,
): Promise<boolean> {
  const { path, from = path, status } = file
  const inputs = config.prepare.flatMap((step) => step.inputs)
  const guarded = [path, from].filter((each) => guardedBy(each, inputs) !== null)
  if (guarded.length === 0 || !guarded.every((each) => isSetUpUnlessTests(each, inputs))) return false
  const places = [
    ...(status === 'added' ? [] : [{ sha: base.commit, path: from }]),
    ...(status === 'deleted' ? [] : [{ sha: change.commit, path }]),
  ]
  for (const place of places) {
    const text = await textAt(deps, place, signal)
    if (text === null || declaredTests(text, place.path).length === 0) return false
  }
  return true
}
