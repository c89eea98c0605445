import { limits } from '../../domain/limits.ts'
import type { TestReport } from '../../domain/verification/test-results.ts'
import type { ReportText } from '../../ports/test-reports.ts'
import { readCargo } from './cargo.ts'
import { counters, countOwnTests } from './counts-only.ts'
import { countsOf, type FoundTests, type ReadLines, runnerOf } from './found-tests.ts'
import { readGo, readGoJson } from './go.ts'
import { readJest } from './jest.ts'
import { readJunit } from './junit.ts'
import { labelledTests, outputsIn } from './labelled-lines.ts'
import { idOf, makeReport } from './make-report.ts'
import { readNode } from './node.ts'
import { printedLines } from './printed-lines.ts'
import { readPytest } from './pytest.ts'
import { isReplayed } from './replayed.ts'
import { readTap } from './tap.ts'
import { readUnittest } from './unittest.ts'
import { readVitest, withoutPrinted } from './vitest.ts'

const readers: readonly ReadLines[] = [
  readNode,
  readTap,
  readVitest,
  readJest,
  readPytest,
  readUnittest,
  readGo,
  readGoJson,
  readCargo,
]

/** Reads the output of one step, and its JUnit file. */
export function readReport({ junit, output }: ReportText): TestReport | null {
  const { lines, cut } = printedLines(output)
  const printed = outputsIn(lines, readRuns).flatMap(({ label, runs }) =>
    runs.map((run) => (label === null ? run : labelledTests(run, label))),
  )
  const read = junit === null ? null : readJunit(junit)
  // A replaying task runner also restores the files of the earlier result.
  const file = read !== null && isReplayed(lines) ? repeated(read) : read
  const runs = printed.length > 0 || isReplayed(lines) ? printed : knownBy([countOwnTests], lines)
  const [first, ...others] = file === null ? runs : besideFile(file, printed)
  return first === undefined ? null : makeReport([first, ...others], { cut: file === null && cut })
}

/** The test runs in the output of one program. */
function readRuns(all: readonly string[]): readonly FoundTests[] {
  const lines = [...withoutPrinted(all)]
  const runs = [...apart(knownBy(readers, lines)), ...knownBy(counters, lines)]
  return isReplayed(lines) ? runs.map(repeated) : runs
}

/** A run without totals. */
function unread({ counts: _, ...run }: FoundTests): FoundTests {
  return { ...run, tests: [], complete: false }
}

const repeated = (run: FoundTests): FoundTests => ({ ...unread(run), replayed: true })

const knownBy = (all: readonly ReadLines[], lines: readonly string[]): readonly FoundTests[] =>
  all.map((read) => read(lines)).filter((found) => found !== null)

/**
 * Keeps only the most complete of several readers that name the same test, since they have read
 * the same lines.
 */
function apart(found: readonly FoundTests[]): readonly FoundTests[] {
  if (found.length < 2) return found
  const byKnowledge = found.toSorted(
    (a, b) => Number(b.complete) - Number(a.complete) || b.tests.length - a.tests.length,
  )
  const named = new Set<string>()
  const kept = byKnowledge.filter(({ tests }) => {
    const ids = tests.slice(0, limits.testReport.tests).map(({ path }) => idOf(path))
    if (ids.some((id) => named.has(id))) return false
    for (const id of ids) named.add(id)
    return true
  })
  return found.filter((one) => kept.includes(one))
}

/**
 * The file's run, and those printed runs that it does not contain. A file that does not name its
 * runner belongs to the run with as many tests, or else to the first one.
 */
function besideFile(file: FoundTests, printed: readonly FoundTests[]): readonly [FoundTests, ...FoundTests[]] {
  const inFile = ranIn(file) ?? 0
  const bySize = () => printed.find((run) => ranIn(run) === inFile)
  const own =
    file.runner === undefined ? (bySize() ?? printed[0]) : printed.find((run) => runnerOf(run) === file.runner)
  const runner = file.runner ?? (own && runnerOf(own))
  const others = printed.filter((run) => run !== own)
  // A program that counts its own tests inside one of the file's tests is not a separate run.
  const isSure = own !== undefined && (file.runner !== undefined || (own.format !== 'tap' && inFile > 0))
  const beyond = isSure ? (ranIn(own) ?? inFile) - inFile : 0
  const unread = own === undefined || beyond <= 0 ? [] : [beyondFile(own, beyond)]
  return [{ ...file, ...(runner && { runner }) }, ...unread, ...others]
}

/** The number of executed tests. Node's totals also count tests with subtests. */
function ranIn({ format, tests, complete, counts }: FoundTests): number | null {
  if (!complete && (counts === undefined || format === 'node')) return null
  const { passed, failed } = complete ? countsOf(tests) : (counts ?? countsOf(tests))
  return passed + failed
}

/** The tests of a run whose report was overwritten by another run of the same runner. */
const beyondFile = (run: FoundTests, count: number): FoundTests => ({
  ...unread(run),
  counts: { passed: count, failed: 0, skipped: 0 },
})
