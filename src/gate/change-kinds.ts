import { kindsOf } from './assurance/try-hybrid.ts'
import { testsCalledSetUp } from './findings/called-set-up.ts'
import type { Compared, ComparingDeps } from './findings/compared-files.ts'

/** The kinds that the files of a change have for the gate. */
export async function changeKinds(deps: ComparingDeps, compared: Compared, signal: AbortSignal) {
  const { base, files, config } = compared
  const named = new Set(base.deciding?.files.map(({ path }) => path))
  const tests = await testsCalledSetUp(deps, compared, signal)
  return kindsOf(files, config, { named, tests: new Set([...tests].filter((path) => !named.has(path))) })
}
