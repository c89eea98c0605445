import { isObject, parsedJson } from '../../domain/json.ts'
import type { TestOutcome } from '../../domain/verification/test-results.ts'
import { type FoundTest, type FoundTests, firstLines, keep, type ReadLines, withFailure } from './found-tests.ts'

const began = /^=== RUN {3}(\S+)$/
/** The outcome follows the test's own output if that does not end with a line feed. */
const ended = /--- (PASS|FAIL|SKIP): (\S+) \(\d+(?:\.\d+)?s\)$/
/** `    sums_test.go:20: 1 is not 2`, the output of `t.Error` and `t.Log`. */
const remark = /^ {4,}\S+\.go:\d+: /
/**
 * Names the test that the following lines belong to; with -v they precede the outcome, otherwise
 * they follow it.
 */
const current = /^=== (?:RUN|CONT|NAME) +(\S+)$/
const packageEnd = /^(ok {2}|FAIL|\? {3})\t(\S+)(?:[\t ](.*))?$/

const outcomes: Readonly<Record<string, TestOutcome>> = {
  PASS: 'passed',
  FAIL: 'failed',
  SKIP: 'skipped',
  pass: 'passed',
  fail: 'failed',
  skip: 'skipped',
}

/** Reads `go test`; without `-v` it names only packages and failed tests. */
export const readGo: ReadLines = (lines) => {
  if (!lines.some((line) => packageEnd.test(line))) return null
  const tests: FoundTest[] = []
  let complete = true
  let begun: string[] = []
  let results: Result[] = []
  let remarks = new Map<string, string>()
  let speaks: string | undefined
  for (const [at, line] of lines.entries()) {
    speaks = (line.startsWith('=== ') && current.exec(line)?.[1]) || speaks
    if (speaks !== undefined && line.startsWith('    ') && remark.test(line) && !remarks.has(speaks))
      remarks.set(speaks, remarkAt(lines, at))
    const name = line.startsWith('=== RUN') ? began.exec(line)?.[1] : undefined
    if (name !== undefined) begun.push(name)
    const [, verdict = '', test = ''] = (line.includes('--- ') && ended.exec(line)) || []
    const outcome = outcomes[verdict]
    if (outcome !== undefined) results.push({ test, outcome })
    if (outcome !== undefined && begun.length === 0) speaks = test
    const [, mark, path, rest = ''] = packageEnd.exec(line) ?? []
    if (mark === undefined || path === undefined) continue
    const read = readPackage({ path, failed: mark === 'FAIL', rest, begun, results, remarks })
    for (const one of read.tests) keep(tests, one)
    complete &&= read.complete
    ;[begun, results, remarks, speaks] = [[], [], new Map(), undefined]
  }
  // Without the last line of its package, a test's package is unknown.
  return { format: 'go', tests, complete: complete && begun.length === 0 }
}

/** The remark with its continuation lines, which are indented further. */
const remarkAt = (lines: readonly string[], at: number): string =>
  [lines[at], firstLines(lines, { from: at + 1, ends: (line) => !line.startsWith('        ') })]
    .filter(Boolean)
    .join('\n')

interface Result {
  readonly test: string
  readonly outcome: TestOutcome
}

interface Package {
  readonly path: string
  readonly failed: boolean
  readonly rest: string
  readonly begun: readonly string[]
  readonly results: readonly Result[]
  /** The first remark of each test. */
  readonly remarks: ReadonlyMap<string, string>
}

function readPackage({ path, failed, rest, begun, results, remarks }: Package): FoundTests {
  const explain = (test: string, outcome: TestOutcome): FoundTest => ({
    path: [path, test],
    outcome,
    ...(outcome === 'failed' && withFailure(remarks.get(test))),
  })
  const named = results.map(({ test, outcome }) => explain(test, outcome))
  if (begun.length > 0) {
    const complete = results.length <= begun.length
    return {
      format: 'go',
      tests: [...named, ...unfinished(begun, results).map((test) => explain(test, 'failed'))],
      complete,
    }
  }
  const empty = rest.includes('[no test files]') || rest.includes('[no tests to run]')
  if (empty && !failed) return { format: 'go', tests: [], complete: true }
  // A package that failed to build has run nothing.
  if (failed && /\[\w+ failed\]/.test(rest))
    return { format: 'go', tests: [{ path: [path], outcome: 'failed', notLoaded: true }], complete: true }
  const whole: FoundTest = { path: [path], outcome: failed ? 'failed' : 'passed' }
  return { format: 'go', tests: [whole, ...named], complete: false }
}

/** The tests that were running when their program ended. */
function unfinished(begun: readonly string[], results: readonly Result[]): readonly string[] {
  const left = new Map<string, number>()
  for (const name of begun) left.set(name, (left.get(name) ?? 0) + 1)
  for (const { test } of results) left.set(test, (left.get(test) ?? 0) - 1)
  return [...left].filter(([, count]) => count > 0).map(([test]) => test)
}

const relevant = /"Action":"(?:run|pass|fail|skip)"/
const isSaid = (line: string): boolean => line.includes('"Action":"output"') && /\.go:\d|\[\w+ failed\]/.test(line)

/** Reads `go test -json`. */
export const readGoJson: ReadLines = (lines) => {
  const packages = new Map<string, JsonPackage>()
  for (const line of lines) {
    const event = line.startsWith('{') && (relevant.test(line) || isSaid(line)) ? readEvent(line) : null
    if (event === null) continue
    const one = packages.get(event.path) ?? {
      begun: [],
      results: [],
      remarks: new Map<string, string>(),
      said: '',
      end: null,
    }
    packages.set(event.path, one)
    const outcome = outcomes[event.action]
    if (event.action === 'output') {
      if (event.test === null) one.said += event.output
      else if (remark.test(event.output) && !one.remarks.has(event.test)) one.remarks.set(event.test, event.output)
    } else if (event.test === null) one.end = event.action
    else if (outcome === undefined) one.begun.push(event.test)
    else one.results.push({ test: event.test, outcome })
  }
  if (packages.size === 0) return null
  const read = [...packages].map(([path, { begun, results, remarks, said, end }]): FoundTests => {
    const rest = begun.length + results.length > 0 || end === 'fail' ? said : '[no tests to run]'
    const found = readPackage({ path, failed: end === 'fail', rest, begun, results, remarks })
    return { ...found, complete: end !== null && (begun.length === 0 || found.complete) }
  })
  return { format: 'go', tests: read.flatMap((one) => one.tests), complete: read.every((one) => one.complete) }
}

interface JsonPackage {
  readonly begun: string[]
  readonly results: Result[]
  readonly remarks: Map<string, string>
  /** Output of the package itself, such as a failed build. */
  said: string
  end: string | null
}

interface Event {
  readonly action: string
  readonly path: string
  readonly test: string | null
  readonly output: string
}

function readEvent(line: string): Event | null {
  const event = parsedJson(line)
  if (!isObject(event)) return null
  const { Action: action, Package: path, Test: test = null, Output: output } = event
  if (typeof action !== 'string' || typeof path !== 'string' || (test !== null && typeof test !== 'string')) return null
  return { action, path, test, output: typeof output === 'string' ? output : '' }
}
