import type { TestOutcome } from '../../domain/verification/test-results.ts'
import { type FoundTest, firstLines, keep, type ReadLines, withFailure } from './found-tests.ts'

const program = /^ {5}Running (?:unittests )?(\S+) \((?:.*[/\\])?([^/\\]+)-[0-9a-f]+(?:\.exe)?\)$/
const docTests = /^ {3}Doc-tests (\S+)$/
/**
 * The heading of a failed test's output. The line number of a documentation test is not part of its
 * name.
 */
const section = /^---- (\S.*?)(?: \(line \d+\))? stdout ----$/
const result =
  /^test result: \S+ (\d+) passed; (\d+) failed; (\d+) ignored; (\d+) measured; \d+ filtered out(?:; finished in .*)?$/

/** Reads `cargo test`. With `-q` it names only failed tests. */
export const readCargo: ReadLines = (lines) => {
  if (!lines.some((line) => line.startsWith('test result: ') || /^running \d+ tests?$/.test(line))) return null
  const tests: FoundTest[] = []
  let place: readonly string[] = []
  let here: FoundTest[] = []
  let quiet: FoundTest[] = []
  const failures = new Map<string, string | undefined>()
  let [known, complete] = [false, true]
  let sums = { passed: 0, failed: 0, skipped: 0 }
  for (const [at, line] of lines.entries()) {
    if (line.startsWith('   ')) place = placeOf(line) ?? place
    const test = readTest(line)
    if (test !== null) keep(here, { path: [...place, test.name], outcome: test.outcome })
    const failed = line.endsWith(' --- FAILED') ? line.slice(0, -' --- FAILED'.length) : null
    if (failed !== null) keep(quiet, { path: [...place, failed], outcome: 'failed' })
    const [, told] = (line.startsWith('---- ') && section.exec(line)) || []
    if (told !== undefined) failures.set(told, panicBelow(lines, at))
    const counts = result.exec(line)?.slice(1)
    if (counts === undefined) continue
    known = true
    const [passed = 0, failing = 0, skipped = 0, measured = 0] = counts.map(Number)
    sums = {
      passed: sums.passed + passed + measured,
      failed: sums.failed + failing,
      skipped: sums.skipped + skipped,
    }
    const all = here.length === counts.reduce((sum, count) => sum + Number(count), 0)
    complete &&= all
    for (const one of all ? here : [...here, ...quiet])
      keep(tests, one.outcome === 'failed' ? { ...one, ...withFailure(failures.get(one.path.at(-1) ?? '')) } : one)
    ;[here, quiet, place] = [[], [], []]
    failures.clear()
  }
  if (!known && here.length === 0) return null
  // A program that crashes prints no result.
  const isAll = complete && here.length === 0
  return {
    format: 'cargo',
    tests: [...tests, ...here],
    complete: isAll,
    ...(!isAll && here.length === 0 && { counts: sums }),
  }
}

/** The line with the location is not always followed by one with the message. */
function panicBelow(lines: readonly string[], at: number): string | undefined {
  const from = lines.slice(at + 1, at + 40).findIndex((line) => line.startsWith("thread '"))
  return firstLines(lines, {
    from: at + 1 + Math.max(0, from),
    ends: (line) => /^(?:---- |failures:|stack |note: )/.test(line),
  })
}

/** Files of two crates may have equal names; the program's name contains the crate. */
function placeOf(line: string): readonly string[] | null {
  const [, file, name] = program.exec(line) ?? []
  if (file !== undefined && name !== undefined) return [file, name]
  const crate = docTests.exec(line)?.[1]
  return crate === undefined ? null : [`doc-tests ${crate}`]
}

function readTest(line: string): { readonly name: string; readonly outcome: TestOutcome } | null {
  const end = line.startsWith('test ') ? line.indexOf(' ... ') : -1
  const outcome = end < 0 ? null : outcomeOf(line.slice(end + 5))
  // The line of a documentation test changes with every edit above it.
  const name = line
    .slice(5, end)
    .replace(' - should panic', '')
    .replace(/ \(line \d+\)/, '')
  return outcome && { name, outcome }
}

function outcomeOf(text: string): TestOutcome | null {
  if (/^ok(?: <[\d.]+s>)?$/.test(text) || text.startsWith('bench: ')) return 'passed'
  if (/^FAILED(?: <[\d.]+s>)?$/.test(text)) return 'failed'
  return /^ignored(?:, |$)/.test(text) ? 'skipped' : null
}
