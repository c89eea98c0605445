import { limits } from '../../domain/limits.ts'
import type { TestOutcome } from '../../domain/verification/test-results.ts'
import { type FoundTest, firstLines, isFileName, keep, type ReadLines, withFailure } from './found-tests.ts'

const point = /^((?: {2})*)([✔✖﹣⚠▶]) (.*)$/u
/** The comment is `SKIP`, `TODO`, or only the reason. */
const ending = / \(\d+(?:\.\d+)?ms\)(?: # (.*))?$/
const total = /^ℹ (tests|suites|pass|fail|cancelled|skipped|todo) (\d+)$/

interface Open {
  readonly name: string
  failed: boolean
}

/** Reads node:test's spec reporter. It names no files, except those that failed to load. */
export const readNode: ReadLines = (lines) => {
  if (!lines.some((line) => line.startsWith('ℹ ') || line.startsWith('▶ '))) return null
  const tests: FoundTest[] = []
  const failures: { readonly name: string; readonly said: string | undefined }[] = []
  const open: Open[] = []
  const totals = new Map<string, number>()
  let [named, known] = [0, false]
  for (const [at, line] of lines.entries()) {
    const [, what, count] = (line.startsWith('ℹ ') && total.exec(line)) || []
    if (what !== undefined) {
      totals.set(what, (totals.get(what) ?? 0) + Number(count))
      known = true
      continue
    }
    const read = readPoint(line)
    if (read === null) continue
    // Failures are repeated at the end, each below its location.
    if (lines[at - 1]?.startsWith('test at ')) {
      const said = firstLines(lines, { from: at + 1, ends: (each) => !/^ |^$/.test(each) || / {4}at /.test(each) })
      if (read.outcome === 'failed') failures.push({ name: read.name, said })
      continue
    }
    if (read.outcome === null) {
      known = true
      open.splice(read.depth, Number.POSITIVE_INFINITY, { name: read.name, failed: false })
      continue
    }
    named++
    const test = closeOrAdd(open, { ...read, outcome: read.outcome })
    if (test !== null) keep(tests, test)
  }
  if (!known) return null
  const left = Map.groupBy(failures.toReversed(), ({ name }) => name)
  const explained = tests.map((test) =>
    test.outcome === 'failed' ? { ...test, ...withFailure(left.get(test.path.at(-1) ?? '')?.pop()?.said) } : test,
  )
  const sum = (...all: readonly string[]): number => all.reduce((some, what) => some + (totals.get(what) ?? 0), 0)
  const complete = named === sum('tests', 'suites')
  const counts = { passed: sum('pass'), failed: sum('fail', 'cancelled'), skipped: sum('skipped', 'todo') }
  return { format: 'node', tests: explained, complete, ...(!complete && { counts }) }
}

interface Point {
  readonly depth: number
  readonly name: string
  /** Null for a line that opens a suite, or a test with subtests. */
  readonly outcome: TestOutcome | null
}

function readPoint(line: string): Point | null {
  const [, indent = '', mark = '', rest = ''] = point.exec(line) ?? []
  const depth = indent.length / 2
  if (depth > limits.testReport.depth) return null
  if (mark === '▶') return { depth, name: rest, outcome: null }
  const end = mark === '' ? null : ending.exec(rest)
  if (!end) return null
  const name = rest.slice(0, end.index)
  if (mark === '﹣' || mark === '⚠') return { depth, name, outcome: 'skipped' }
  if (end[1] !== undefined && end[1] !== 'EXPECTED FAILURE') return { depth, name, outcome: 'skipped' }
  return { depth, name, outcome: mark === '✔' ? 'passed' : 'failed' }
}

/** A parent is only reported if it failed and none of its children did. */
function closeOrAdd(
  open: Open[],
  { depth, name, outcome }: Point & { readonly outcome: TestOutcome },
): FoundTest | null {
  const closing = open[depth]?.name === name ? open[depth] : null
  open.length = Math.min(open.length, depth)
  const silent = closing !== null && (outcome !== 'failed' || closing.failed)
  if (outcome === 'failed') for (const one of open) one.failed = true
  if (silent) return null
  const notLoaded = open.length === 0 && outcome === 'failed' && isFileName(name)
  return { path: [...open.map((one) => one.name), name], outcome, ...(notLoaded && { notLoaded }) }
}
