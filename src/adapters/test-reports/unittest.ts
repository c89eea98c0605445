import { limits } from '../../domain/limits.ts'
import { type FoundTest, firstLines, keep, type ReadLines, withFailure } from './found-tests.ts'

const total = /^Ran (\d{1,9}) tests? in \d+(?:\.\d+)?s$/
/**
 * `test_add (test_sum.Sums.test_add)`, often followed by ` ... ok`; before Python 3.11 without the
 * test's name in the brackets. The name of a module that cannot be imported contains dots.
 */
const began = /^([\w.]+) \(([\w.]+)\)(?: \.\.\. (.*))?$/
/**
 * The outcome after the test's name, after the first line of its description, or after its own
 * output.
 */
const outcome = /(?:^|^.* \.\.\. )(ok|FAIL|ERROR|skipped .*|expected failure|unexpected success)$/
const failure = /^(?:FAIL|ERROR): ([\w.]+) \(([\w.]+)\)/
const end = /^(?:OK|FAILED|NO TESTS RAN)(?: \((.*)\))?$/

/**
 * Reads Python's unittest. Without `-v` it names only failed tests, but always prints how many ran.
 */
export const readUnittest: ReadLines = (lines) => {
  const totals = lines.flatMap((line) => total.exec(line)?.[1] ?? [])
  if (totals.length === 0) return null
  const outcomes = new Map<string, FoundTest>()
  let open: readonly string[] | null = null
  for (const [at, line] of lines.entries()) {
    const [, name, where, rest = ''] = began.exec(line) ?? []
    if (name !== undefined && where !== undefined) open = pathOf(name, where)
    const said = open && outcome.exec(name === undefined ? line : rest)?.[1]
    if (open && said !== null && said !== undefined) {
      add(outcomes, { path: open, outcome: outcomeOf(said) })
      open = null
    }
    const [, failed, place] = failure.exec(line) ?? []
    // The summary at the end is the runner's own; lines before it may be output of a test.
    if (failed !== undefined && place !== undefined)
      add(outcomes, failureOf(pathOf(failed, place), errorBelow(lines, at)))
  }
  const tests: FoundTest[] = []
  for (const test of outcomes.values()) keep(tests, test)
  const ran = totals.reduce((sum, count) => sum + Number(count), 0)
  const [failed, skipped] = [
    countOf(lines, ['failures', 'errors', 'unexpected successes']),
    countOf(lines, ['skipped']),
  ]
  const counts = { passed: Math.max(0, ran - failed - skipped), failed, skipped }
  return { format: 'unittest', tests, complete: tests.length === ran, counts }
}

/** A module that failed to import is listed in place of its tests. */
const isLoader = (path: readonly string[]): boolean =>
  path.at(-2) === '_FailedTest' || path.at(-2) === 'ModuleImportFailure'

/** The error message below the indented lines of a traceback. */
function errorBelow(lines: readonly string[], at: number): string | undefined {
  const from = lines.slice(at + 1, at + 200).findIndex((line) => /^(?!Traceback|[-= ]|$)/.test(line))
  return from < 0 ? undefined : firstLines(lines, { from: at + 1 + from, ends: (line) => /^[-=]{70}$/.test(line) })
}

const failureOf = (path: readonly string[], said: string | undefined): FoundTest => ({
  path,
  outcome: 'failed',
  ...withFailure(said),
  ...(isLoader(path) && { notLoaded: true }),
})

/** Keeps the worst outcome of a test. */
function add(outcomes: Map<string, FoundTest>, test: FoundTest): void {
  const key = test.path.join('.')
  if (test.outcome !== 'failed' && outcomes.has(key)) return
  if (outcomes.has(key) || outcomes.size <= limits.testReport.tests) outcomes.set(key, test)
}

function pathOf(name: string, where: string): readonly string[] {
  const own = where.endsWith(`.${name}`) ? where.slice(0, -name.length - 1) : where
  return [...own.split('.'), name]
}

function outcomeOf(said: string): FoundTest['outcome'] {
  if (said === 'FAIL' || said === 'ERROR' || said === 'unexpected success') return 'failed'
  return said.startsWith('skipped') || said === 'expected failure' ? 'skipped' : 'passed'
}

/** Sums a count over lines such as `FAILED (failures=1, skipped=2)`. */
function countOf(lines: readonly string[], words: readonly string[]): number {
  return lines
    .flatMap((line) => end.exec(line)?.[1]?.split(', ') ?? [])
    .map((part) => part.split('='))
    .reduce((sum, [word = '', count = '0']) => sum + (words.includes(word) ? Number(count) : 0), 0)
}
