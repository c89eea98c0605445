import { guardedBy } from '../../domain/gate/guarded-file.ts'
import { isTestFile } from '../../domain/story/plan.ts'

const code = /\.(?:[cm]?[jt]sx?|py|rb|php|go|rs|java|kt|scala|cs|swift|exs?|lua|pl|t|bats|c|cc|cpp)$/
/** By name alone, a shell script is what runs the tests. */
const shellTest = /(?:^|\/)(?:tests?|specs?|e2e|t)\/(?:[^/]+\/)*[^/]+\.(?:ba)?sh$/

/** True for a file whose opening shows that the tests have begun. */
export function isTestCode(path: string, inputs: readonly string[]): boolean {
  if (guardedBy(path, inputs) !== null || path.endsWith('__init__.py')) return false
  return shellTest.test(path) || (isTestFile(path) && code.test(path))
}
