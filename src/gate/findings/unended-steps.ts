import { ranIn } from '../../domain/gate/canaries/tests-named-in.ts'
import { isCode } from '../../domain/gate/code-syntax.ts'
import type { FileKind } from '../../domain/gate/file-kind.ts'
import { limits } from '../../domain/limits.ts'
import { isTestFile } from '../../domain/story/plan.ts'
import type { TestReport } from '../../domain/verification/test-results.ts'
import { cutOffTests, withoutEnd } from '../../domain/verification/unended.ts'
import type { ChangedFile } from '../../ports/history.ts'
import type { TreeTests } from '../tests-of-tree.ts'
import { type ComparingDeps, textAt } from './compared-files.ts'

interface Ending {
  readonly base: TreeTests
  readonly change: TreeTests
  readonly files: readonly ChangedFile[]
  readonly kindOf: (path: string) => FileKind
  /** Runs the steps on the change once more. */
  readonly again: () => Promise<TreeTests>
}

/**
 * Describes green steps whose runner did not reach its end. The same runner did so on the base, no
 * configuration has changed, and unchanged test files have lost their tests, so something ends the
 * process. This must happen twice, because the last lines of output can get lost by chance.
 */
export async function unendedSteps(
  deps: ComparingDeps,
  { base, change, files, kindOf, again }: Ending,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (files.some(({ path, from = path }) => [path, from].some((each) => kindOf(each) === 'config'))) return []
  const cutOffIn = ({ commands, tests }: TreeTests) =>
    commands.flatMap((command) => {
      const own = base.tests[command.name] ?? null
      const ids = cutOffTests({ base: own, change: tests[command.name] ?? null, command })
      return own === null || ids.length === 0 ? [] : [{ step: command.name, own, ids }]
    })
  const told: string[] = []
  let second: ReturnType<typeof cutOffIn> | undefined
  for (const { step, own, ids } of cutOffIn(change)) {
    if (!(await isOfUntouched(deps, { base, files, report: own, ids }, signal))) continue
    second ??= cutOffIn(await again())
    const still = second.find((each) => each.step === step)
    if (still !== undefined) told.push(withoutEnd(step, { of: own.tests.length, missing: still.ids.length }))
  }
  return told
}

interface Missing {
  readonly base: TreeTests
  readonly files: readonly ChangedFile[]
  readonly report: TestReport
  readonly ids: readonly string[]
}

/** True if a missing test is in a file that the change has not touched. */
async function isOfUntouched(
  deps: ComparingDeps,
  { base, files, report, ids }: Missing,
  signal: AbortSignal,
): Promise<boolean> {
  const changed = new Set(files.flatMap(({ path, from = path }) => [path, from]))
  if (![...changed].some(isTestFile)) return true
  const listed = await deps.history.committed(base.commit).list('**', limits.testReport.tests, signal)
  if (!listed.ok) return false
  const missing = new Set(ids)
  const ran = ranIn({ ...report, tests: report.tests.filter(({ id }) => missing.has(id)) })
  const others = listed.value.paths.filter((path) => isTestFile(path) && isCode(path) && !changed.has(path))
  for (const path of others.slice(0, limits.canaries.read)) {
    const text = await textAt(deps, { sha: base.commit, path }, signal)
    if (text !== null && ran({ path, text })) return true
  }
  return false
}
