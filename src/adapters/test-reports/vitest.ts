import { limits } from '../../domain/limits.ts'
import type { TestOutcome } from '../../domain/verification/test-results.ts'
import { type FoundTest, firstLines, keep, type ReadLines, withFailure } from './found-tests.ts'

const marked = /^( (?: {2})*)([✓√×✗❯↓□]) (.*)$/
const header = /^ RUN {2}v\d/
const total = /^ +Tests {2}(.*)\((\d+)\)$/
const noTests = /^ +Tests {2}no tests$/
/**
 * The count after a file, `(3 tests | 1 failed)`, or `(3)` before version 2; after a suite always
 * `(3)`.
 */
const counted = / \((\d+)(?: tests?)?(?: \| [^()]*)?\)$/

const outcomes: Readonly<Record<string, TestOutcome>> = {
  '✓': 'passed',
  '√': 'passed',
  '×': 'failed',
  '✗': 'failed',
  '❯': 'failed',
  '↓': 'skipped',
  '□': 'skipped',
}

interface File {
  readonly path: string
  readonly outcome: TestOutcome
  readonly count: number
  readonly open: string[]
  readonly tests: FoundTest[]
}

/**
 * Reads Vitest's default, tree and verbose reporters. The default one names the tests of a file
 * only if one of them failed.
 */
export const readVitest: ReadLines = (lines) => {
  if (!lines.some((line) => header.test(line) || total.test(line))) return null
  const files: File[] = []
  const lone: FoundTest[] = []
  const notLoaded = new Map<string, string | undefined>()
  const failures = new Map<string, string | undefined>()
  const totals = new Map<string, number>()
  let [said, known] = [0, false]
  for (const [at, line] of lines.entries()) {
    const [, parts = '', count = noTests.test(line) ? '0' : undefined] =
      (line.startsWith(' ') && total.exec(line)) || []
    if (count !== undefined) {
      said += Number(count)
      for (const [, some = '0', what = ''] of parts.matchAll(/\b(\d{1,9}) (passed|failed|skipped|todo)/g))
        totals.set(what, (totals.get(what) ?? 0) + Number(some))
    }
    known ||= count !== undefined || header.test(line)
    const failed = notLoadedFile(line)
    if (failed !== null && notLoaded.size <= limits.testReport.tests) notLoaded.set(failed, errorBelow(lines, at))
    else if (line.startsWith(' FAIL  ') && failures.size <= limits.testReport.tests)
      failures.set(line.slice(' FAIL  '.length), errorBelow(lines, at))
    const [, indent = '', mark = '', rest = ''] = marked.exec(line) ?? []
    const outcome = outcomes[mark]
    if (outcome === undefined) continue
    if (indent.length > 1) addInside(files.at(-1), { depth: (indent.length - 3) / 2, mark, rest, outcome })
    else if (rest.includes(' > ') && mark !== '❯') keep(lone, { path: [withoutTimes(rest)], outcome })
    else if (files.length <= limits.testReport.tests) files.push(...openFile(rest, outcome))
  }
  if (!known) return null
  const named = lone.length + files.reduce((sum, file) => sum + file.tests.length, 0)
  const listed = new Set(files.map((file) => file.path))
  const ended = totals.size > 0
  const unlisted = [...notLoaded].filter(([path]) => !listed.has(path))
  const broken = unlisted.map(
    ([path, said]): FoundTest => ({
      path: [path],
      outcome: 'failed',
      notLoaded: true,
      ...withFailure(said),
    }),
  )
  const complete = named === said
  const tests = [...lone, ...files.flatMap((file) => testsOf(file, complete))].map((test): FoundTest => {
    if (test.outcome !== 'failed') return test
    const [file = '', ...rest] = test.path
    if (rest.length === 0 && notLoaded.has(file))
      return { ...test, notLoaded: true, ...withFailure(notLoaded.get(file)) }
    return { ...test, ...withFailure(failures.get(test.path.join(' > '))) }
  })
  const sum = (...all: readonly string[]): number => all.reduce((some, what) => some + (totals.get(what) ?? 0), 0)
  const counts = { passed: sum('passed'), failed: sum('failed'), skipped: sum('skipped', 'todo') }
  return { format: 'vitest', tests: [...tests, ...broken], complete, ...(!complete && ended && { counts }) }
}

/** Drops output of tests, which follows a line with the test's name and ends at an empty line. */
export function* withoutPrinted(lines: readonly string[]): Generator<string> {
  let printed = false
  for (const line of lines) {
    printed = line.startsWith('stdout | ') || line.startsWith('stderr | ') || (printed && line !== '')
    if (!printed) yield line
  }
}

/** ` FAIL  test/a.test.ts [ test/a.test.ts ]`; the line of a failed test has no brackets. */
function notLoadedFile(line: string): string | null {
  const at = line.startsWith(' FAIL  ') && line.endsWith(' ]') ? line.indexOf(' [ ') : -1
  return at < 0 ? null : line.slice(' FAIL  '.length, at)
}

/** Tests that failed in the same way share one error below their names. */
function errorBelow(lines: readonly string[], at: number): string | undefined {
  const below = lines.slice(at + 1, at + 40).findIndex((line) => !line.startsWith(' FAIL  '))
  return firstLines(lines, { from: at + 1 + Math.max(0, below), ends: (line) => /^(?: ❯ |⎯| FAIL {2})/.test(line) })
}

function openFile(rest: string, outcome: TestOutcome): readonly File[] {
  const text = withoutTimes(rest)
  const end = counted.exec(text)
  if (!end) return []
  return [{ path: text.slice(0, end.index), outcome, count: Number(end[1]), open: [], tests: [] }]
}

interface Inside {
  readonly depth: number
  readonly mark: string
  readonly rest: string
  readonly outcome: TestOutcome
}

function addInside(file: File | undefined, { depth, mark, rest, outcome }: Inside): void {
  if (file === undefined || depth > file.open.length || depth > limits.testReport.depth) return
  file.open.length = depth
  const name = withoutTimes(rest)
  const suite = counted.exec(name)
  // A suite has no duration.
  if (suite && name === rest && mark !== '×') file.open.push(name.slice(0, suite.index))
  else if (mark !== '❯') keep(file.tests, { path: [file.path, ...file.open, name], outcome })
}

/**
 * Lists the tests of a file. Unless the run names all tests, the file itself comes first, so that
 * it is listed in every run. Of an incomplete file only failed tests are listed, since the others
 * are only named if they were slow.
 */
function testsOf(file: File, complete: boolean): readonly FoundTest[] {
  const all = file.tests.length === file.count && file.count > 0
  if (all && complete) return file.tests
  const tests = all ? file.tests : file.tests.filter(({ outcome }) => outcome === 'failed')
  return [{ path: [file.path], outcome: file.outcome }, ...tests]
}

const endings = [/ \d+ MB heap used$/, / \d+(?:\.\d+)?m?s$/, / \((?:retry|repeat) x\d+(?:, (?:retry|repeat) x\d+)?\)$/]

const withoutTimes = (text: string): string => endings.reduce((rest, ending) => rest.replace(ending, ''), text)
