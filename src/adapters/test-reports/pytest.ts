import { limits } from '../../domain/limits.ts'
import type { TestOutcome } from '../../domain/verification/test-results.ts'
import { sumOfTests } from '../../domain/verification/tests-seen.ts'
import { countsOf, type FoundTest, type FoundTests, type ReadLines, withFailure } from './found-tests.ts'

const words = ['PASSED', 'FAILED', 'ERROR', 'SKIPPED', 'XFAIL', 'XPASS'] as const
type Word = (typeof words)[number]

const begins = /^=+ test session starts =+$/
const heading = /^=+ (\S.*?) =+$/
const worker = /^\[gw\d+\] \[ *\d+%\] (\w+) (.*)$/
const dots = /^[.FEsxXR]+$/

interface Session {
  /** Outcomes by node id; a test may pass and then fail in its teardown. */
  readonly tests: Map<string, Set<Word>>
  readonly files: Map<string, TestOutcome>
  /** The summary's message for a failed test or file. */
  readonly failures: Map<string, string>
  readonly notLoaded: Set<string>
  file: string | null
  section: string | null
}

/**
 * Reads pytest. With `-v` or `-rA` it names all executed tests, otherwise files and failures. An
 * expected failure counts as skipped, as in pytest's own JUnit file.
 */
export const readPytest: ReadLines = (lines) => {
  if (!lines.some((line) => begins.test(line) || readTotal(line) !== null)) return null
  const sessions: FoundTests[] = []
  let session = newSession()
  let began = false
  for (const line of lines) {
    if (begins.test(line)) {
      if (began) sessions.push(endSession(session, null))
      session = newSession()
      began = true
      continue
    }
    const counts = readTotal(line)
    if (counts === null) readLine(session, line)
    else {
      sessions.push(endSession(session, counts))
      session = newSession()
      began = false
    }
  }
  if (began) sessions.push(endSession(session, null))
  if (sessions.length === 0) return null
  const tests = sessions.flatMap((one) => one.tests)
  const complete = sessions.every((one) => one.complete)
  const counts = sumOfTests(sessions.map((one) => one.counts ?? countsOf(one.tests)))
  const isCounted = !complete && counts !== null && sessions.every((one) => one.complete || one.counts)
  return { format: 'pytest', tests, complete, ...(isCounted && { counts }) }
}

const newSession = (): Session => ({
  tests: new Map(),
  files: new Map(),
  failures: new Map(),
  notLoaded: new Set<string>(),
  file: null,
  section: null,
})

/** The counts in `1 failed, 2 passed in 0.03s`; null for any other line. */
function readTotal(line: string): ReadonlyMap<string, number> | null {
  if (!/^(?:=+ )?(?:\d|no tests )/.test(line)) return null
  const text = line
    .replace(/^=+ /, '')
    .replace(/(?<!=)=+$/, '')
    .trimEnd()
  const end = / in \d+(?:\.\d+)?s(?: \([\d:]+\))?$/.exec(text)
  if (!end) return null
  const parts = text.slice(0, end.index).split(', ')
  const counts = parts.map((part) => /^(\d+) (\S+)/.exec(part)?.slice(1) ?? [])
  if (parts[0] !== 'no tests ran' && counts.some(([count]) => count === undefined)) return null
  return new Map(counts.map(([count = '0', word = '']) => [word.replace(/^error$/, 'errors'), Number(count)]))
}

function readLine(session: Session, line: string): void {
  const title = line.startsWith('=') ? heading.exec(line)?.[1] : undefined
  if (title !== undefined) session.section = title
  else if (session.section === 'short test summary info') readSummary(session, line)
  else if (session.section === null) readProgress(session, withoutPercent(line))
}

function readProgress(session: Session, line: string): void {
  const [, word, id = ''] = worker.exec(line) ?? []
  const ending = isWord(word) ? { at: id.length, word } : statusAt(line)
  if (ending !== null) add(session, (isWord(word) ? id : line).slice(0, ending.at).trimEnd(), ending.word)
  else readDots(session, line)
}

/** The position of the outcome after a test's id: `… PASSED`, `… SKIPPED (reason)`. */
function statusAt(line: string): { readonly at: number; readonly word: Word } | null {
  if (!line.includes('::')) return null
  const found = words.flatMap((word) => {
    const at = line.indexOf(` ${word}`)
    const rest = line.slice(at + 1 + word.length)
    return at > 0 && (rest === '' || (rest.startsWith(' (') && rest.endsWith(')'))) ? [{ at, word }] : []
  })
  return found.toSorted((a, b) => a.at - b.at)[0] ?? null
}

/** `tests/test_a.py ..F`, and the lines that continue it. */
function readDots(session: Session, line: string): void {
  const space = line.lastIndexOf(' ')
  const file = line.slice(0, Math.max(0, space))
  const marks = line.slice(space + 1)
  if (!dots.test(marks) || (file !== '' && !/\.\w+$/.test(file))) return
  if (file !== '') session.file = file
  addDots(session, marks)
}

function addDots(session: Session, marks: string): void {
  if (session.file === null || session.files.size > limits.testReport.tests) return
  const before = session.files.get(session.file)
  const outcome = /[FE]/.test(marks) ? 'failed' : /^s+$/.test(marks) ? 'skipped' : 'passed'
  const worst = before === 'failed' || outcome === 'failed' ? 'failed' : before === 'passed' ? 'passed' : outcome
  session.files.set(session.file, worst)
}

function readSummary(session: Session, line: string): void {
  const space = line.indexOf(' ')
  const word = line.slice(0, space)
  if (space < 0 || !isWord(word) || line[space + 1] === '[') return
  const text = line.slice(space + 1)
  const bracket = text.indexOf('[')
  const dash = text.indexOf(' - ')
  // A parameter may contain the dash that otherwise precedes the reason.
  const inside = bracket >= 0 && dash > bracket
  const closing = inside ? text.indexOf('] - ') : -1
  const end = inside ? (closing < 0 ? text.length : closing + 1) : dash < 0 ? text.length : dash
  const id = text.slice(0, end)
  const reason = text.slice(end).replace(/^ - /, '')
  if (reason !== '' && session.failures.size <= limits.testReport.tests) session.failures.set(id, reason)
  if (id.includes('::')) add(session, id, word)
  else if (word === 'ERROR' || word === 'FAILED') {
    session.files.set(id, 'failed')
    session.notLoaded.add(id)
  }
}

function add(session: Session, id: string, word: Word): void {
  const bracket = id.indexOf('[')
  const name = bracket < 0 ? id : id.slice(0, bracket)
  // Any other line is output of a test between its id and its outcome.
  if (!name.includes('::') || / |^$/.test(name)) return
  const said = session.tests.get(id)
  if (said) said.add(word)
  else if (session.tests.size <= limits.testReport.tests) session.tests.set(id, new Set([word]))
}

function endSession(session: Session, counts: ReadonlyMap<string, number> | null): FoundTests {
  const { tests, files, failures } = session
  const named = [...tests].map(
    ([id, said]): FoundTest => ({
      path: pathOf(id),
      outcome: outcomeOf(said),
      ...withFailure(failures.get(id)),
    }),
  )
  const executed = [...tests.values()].filter((said) => [...said].some((word) => executedWords.has(word))).length
  const errors = [...tests.values()].filter((said) => said.has('ERROR')).length
  const sum = (...all: readonly string[]): number => all.reduce((total, word) => total + (counts?.get(word) ?? 0), 0)
  const told = new Set(named.map(({ path }) => path[0]))
  const broken = [...files].filter(([file, outcome]) => outcome === 'failed' && !told.has(file))
  const complete =
    counts !== null &&
    executed === sum('passed', 'failed', 'xfailed', 'xpassed') &&
    errors + broken.length === sum('errors')
  const sums = {
    passed: sum('passed', 'xpassed'),
    failed: sum('failed', 'errors'),
    skipped: sum('skipped', 'xfailed'),
  }
  const whole = complete ? broken : [...files]
  return {
    format: 'pytest',
    tests: [
      ...whole.map(([file, outcome]): FoundTest => {
        const notLoaded = session.notLoaded.has(file)
        return { path: [file], outcome, ...withFailure(failures.get(file)), ...(notLoaded && { notLoaded }) }
      }),
      ...named,
    ],
    complete,
    ...(!complete && counts !== null && { counts: sums }),
  }
}

const executedWords: ReadonlySet<Word> = new Set(['PASSED', 'FAILED', 'XFAIL', 'XPASS'])

function outcomeOf(said: ReadonlySet<Word>): TestOutcome {
  if (said.has('FAILED') || said.has('ERROR')) return 'failed'
  return said.has('PASSED') || said.has('XPASS') ? 'passed' : 'skipped'
}

function pathOf(id: string): readonly string[] {
  const bracket = id.indexOf('[')
  const name = bracket < 0 ? id : id.slice(0, bracket)
  const parts = name.split('::')
  return [...parts.slice(0, -1), `${parts.at(-1) ?? ''}${id.slice(name.length)}`]
}

const isWord = (text: string | undefined): text is Word => words.some((word) => word === text)

/** Removes `    [ 90%]` at the end. */
function withoutPercent(line: string): string {
  const text = line.trimEnd()
  const at = text.endsWith('%]') ? text.lastIndexOf('[') : -1
  return at < 0 ? text : text.slice(0, at).trimEnd()
}
