import { limits } from '../../domain/limits.ts'
import type { TestOutcome } from '../../domain/test-results.ts'
import { type FoundTest, keep, type ReadLines } from './found-tests.ts'

const header = /^(PASS|FAIL) +(\S.*)$/
const total = /^Tests: {7}(?:.* )?(\d+) total$/
const marked = /^((?: {2})+)([✓√✕×○✎]) (.*)$/
const suite = /^((?: {2})+)(\S.*)$/
const failure = /^ {2}● (\S.*)$/
const times = / \(\d+(?:\.\d+)? (?:m?s|MB heap size)\)$/

const outcomes: Readonly<Record<string, TestOutcome>> = {
  ...{ '✓': 'passed', '√': 'passed', '✕': 'failed', '×': 'failed' },
  ...{ '○': 'skipped', '✎': 'skipped' },
}

interface File {
  readonly path: string
  failed: boolean
  readonly tests: FoundTest[]
  /** Names of what failed, as its details are headed. */
  readonly failures: Set<string>
}

/** Jest's output, with `--verbose` and without: then it names only the tests that failed. */
export const readJest: ReadLines = (lines) => {
  if (!lines.some((line) => total.test(line))) return null
  const files = new Map<string, File>()
  let file: File | null = null
  let open: string[] | null = null
  let [said, known] = [0, false]
  for (const line of lines) {
    const [, verdict, name = ''] = header.exec(line) ?? []
    if (verdict !== undefined && files.size <= limits.testReport.tests) {
      const path = withoutTimes(name)
      file = files.get(path) ?? { path, failed: false, tests: [], failures: new Set() }
      file.failed ||= verdict === 'FAIL'
      open = files.has(path) ? null : []
      files.set(path, file)
      continue
    }
    const count = total.exec(line)?.[1]
    if (count !== undefined) {
      said += Number(count)
      known = true
    }
    if (file === null) continue
    // The tree ends with an empty line; details follow, which hold anything.
    const inTree: boolean = open !== null && addLine(file, open, line)
    if (!inTree) open = null
    const failed = failure.exec(line)?.[1]
    if (failed !== undefined && !headings.has(failed) && file.failures.size <= limits.testReport.tests)
      file.failures.add(failed)
  }
  if (!known) return null
  const all = [...files.values()]
  const named = all.reduce((sum, one) => sum + one.tests.length, 0)
  const complete = named === said
  return { format: 'jest', tests: all.flatMap((one) => testsOf(one, complete)), complete }
}

const headings: ReadonlySet<string> = new Set(['Console', 'Test suite failed to run'])

/** Whether the line is of the tree of suites below a file. */
function addLine(file: File, open: string[], line: string): boolean {
  const [, indent = '', mark = '', rest = ''] = marked.exec(line) ?? []
  const outcome = outcomes[mark]
  if (outcome !== undefined) {
    const suites = open.slice(0, indent.length / 2 - 1)
    const name = outcome === 'skipped' ? rest.replace(/^(?:skipped|todo) /, '') : withoutTimes(rest)
    keep(file.tests, { path: [file.path, ...suites, name], outcome })
    return true
  }
  const [, before = '', name = ''] = suite.exec(line) ?? []
  const depth = before.length / 2 - 1
  if (name === '' || name.startsWith('● ') || depth > limits.testReport.depth) return false
  open.splice(depth, Number.POSITIVE_INFINITY, name)
  return true
}

/** The tests of a run that names all; else the file stands before them, so that it is there in every run. */
function testsOf({ path, failed, tests, failures }: File, complete: boolean): readonly FoundTest[] {
  if (tests.length > 0 && complete) return tests
  const named = [...failures].map((name): FoundTest => ({ path: [path, ...name.split(' › ')], outcome: 'failed' }))
  return [{ path: [path], outcome: failed ? 'failed' : 'passed' }, ...(tests.length > 0 ? tests : named)]
}

const withoutTimes = (text: string): string => text.replace(times, '')
