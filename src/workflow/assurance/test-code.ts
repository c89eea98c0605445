import { guardedBy } from '../../domain/guarded-file.ts'
import { isTestFile } from '../../domain/plan.ts'

const code = /\.(?:[cm]?[jt]sx?|py|rb|php|go|rs|java|kt|scala|cs|swift|exs?|lua|pl|t|bats|sh|c|cc|cpp)$/

/** A file after whose opening the tests have begun. */
export function isTestCode(path: string, inputs: readonly string[]): boolean {
  return isTestFile(path) && code.test(path) && guardedBy(path, inputs) === null && !path.endsWith('__init__.py')
}
