import { limits } from '../../domain/limits.ts'
import type { TestReport } from '../../domain/verification/test-results.ts'
import type { ReportText } from '../../ports/test-reports.ts'
import { readCargo } from './cargo.ts'
import { readAva, readMocha } from './counts-only.ts'
import type { FoundTests, ReadLines } from './found-tests.ts'
import { readGo, readGoJson } from './go.ts'
import { readJest } from './jest.ts'
import { readJunit } from './junit.ts'
import { idOf, makeReport } from './make-report.ts'
import { readNode } from './node.ts'
import { printedLines } from './printed-lines.ts'
import { readPytest } from './pytest.ts'
import { readTap } from './tap.ts'
import { readUnittest } from './unittest.ts'
import { readVitest } from './vitest.ts'

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

/** Asked where no other knows anything: a line that a test prints looks soon like their totals. */
const counters: readonly ReadLines[] = [readMocha, readAva]

/** Reads what one step printed, and its JUnit file. */
export function readReport({ junit, output }: ReportText): TestReport | null {
  const { lines, cut } = printedLines(output)
  const named = knownBy(readers, lines)
  const [first, ...others] = apart(named.length > 0 ? named : knownBy(counters, lines))
  const file = junit === null ? null : readJunit(junit)
  // A file that does not say who wrote it is by the runner that printed beside it.
  if (file !== null) return makeReport([{ ...(first && { runner: first.format }), ...file }], { cut: false })
  return first === undefined ? null : makeReport([first, ...others], { cut })
}

const knownBy = (all: readonly ReadLines[], lines: readonly string[]): readonly FoundTests[] =>
  all.map((read) => read(lines)).filter((found) => found !== null)

/**
 * Of readers that name the same test only the one that knows most: they have read the same lines.
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
