import { limits } from '../../domain/limits.ts'
import type { TestOutcome } from '../../domain/verification/test-results.ts'
import { type FoundTest, firstLines, keep, type ReadLines, withFailure } from './found-tests.ts'

const header = /^(PASS|FAIL) +(\S.*)$/
const total = /^Tests: {7}(.* )?(\d+) total$/
const marked = /^((?: {2})+)([✓√✕×○✎]) (.*)$/
const suite = /^((?: {2})+)(\S.*)$/
const failure = /^ {2}● (\S.*)$/
const times = / \(\d+(?:\.\d+)? (?:m?s|MB heap size)\)$/

const outcomes: Readonly<Record<string, TestOutcome>> = {
  '✓': 'passed',
  '√': 'passed',
  '✕': 'failed',
  '×': 'failed',
  '○': 'skipped',
  '✎': 'skipped',
}

interface File {
  readonly path: string
  failed: boolean
  readonly tests: FoundTest[]
  /** The first lines of each failure's details, by the heading of the details. */
  readonly failures: Map<string, string | undefined>
}

/** Reads Jest's output. Without `--verbose` it names only failed tests. */
export const readJest: ReadLines = (lines) => {
  if (!lines.some((line) => total.test(line))) return null
  const files = new Map<string, File>()
  let file: File | null = null
  let open: string[] | null = null
  const totals = new Map<string, number>()
  let [said, known] = [0, false]
  for (const [at, line] of lines.entries()) {
    const [, verdict, name = ''] = header.exec(line) ?? []
    if (verdict !== undefined && files.size <= limits.testReport.tests) {
      const path = withoutTimes(name)
      file = files.get(path) ?? { path, failed: false, tests: [], failures: new Map() }
      file.failed ||= verdict === 'FAIL'
      open = files.has(path) ? null : []
      files.set(path, file)
      continue
    }
    const [, parts = '', count] = (line.startsWith('Tests:') && total.exec(line)) || []
    if (count !== undefined) {
      said += Number(count)
      known = true
      for (const [, some = '0', what = ''] of parts.matchAll(/\b(\d{1,9}) (passed|failed|skipped|todo)/g))
        totals.set(what, (totals.get(what) ?? 0) + Number(some))
    }
    if (file === null) continue
    // The tree ends with an empty line; the details after it may contain anything.
    const inTree: boolean = open !== null && addLine(file, open, line)
    if (!inTree) open = null
    const failed = failure.exec(line)?.[1]
    if (failed !== undefined && failed !== 'Console' && file.failures.size <= limits.testReport.tests)
      file.failures.set(failed, firstLines(lines, { from: at + 1, ends: (each) => !inMessage.test(each) }))
  }
  if (!known) return null
  const all = [...files.values()]
  const named = all.reduce((sum, one) => sum + one.tests.length, 0)
  const complete = named === said
  const sum = (...each: readonly string[]): number => each.reduce((some, what) => some + (totals.get(what) ?? 0), 0)
  const counts = { passed: sum('passed'), failed: sum('failed'), skipped: sum('skipped', 'todo') }
  const tests = all.flatMap((one) => testsOf(one, complete))
  return { format: 'jest', tests, complete, ...(!complete && { counts }) }
}

/** Lines of the message, without the code frame and the stack below it. */
const inMessage = /^(?: {4}(?! {2}at | *>? *\d+ \|)|$)/
const notLoaded = 'Test suite failed to run'

/** Adds a line of the tree of suites below a file; false if the line is not part of it. */
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

/**
 * Lists the tests of a file. Unless the run names all tests, the file itself comes first, so that
 * it is listed in every run.
 */
function testsOf({ path, failed, tests, failures }: File, complete: boolean): readonly FoundTest[] {
  const explained = tests.map((test) =>
    test.outcome === 'failed' ? { ...test, ...withFailure(failures.get(test.path.slice(1).join(' › '))) } : test,
  )
  if (tests.length > 0 && complete) return explained
  const named = [...failures].flatMap(([name, said]): readonly FoundTest[] =>
    name === notLoaded ? [] : [{ path: [path, ...name.split(' › ')], outcome: 'failed', ...withFailure(said) }],
  )
  const whole: FoundTest = failed
    ? {
        path: [path],
        outcome: 'failed',
        ...(failures.has(notLoaded) && { notLoaded: true, ...withFailure(failures.get(notLoaded)) }),
      }
    : { path: [path], outcome: 'passed' }
  return [whole, ...(tests.length > 0 ? explained : named)]
}

const withoutTimes = (text: string): string => text.replace(times, '')
