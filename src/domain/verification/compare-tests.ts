import { listed, type Suspicion } from '../gate/gate-finding.ts'
import { type NamedTests, namedTests, placesOf, ranByRunner } from './named-tests.ts'
import { howManyRan, type TestReport, type TestResult, testsThatRan } from './test-results.ts'

/** The tests of one verification step, on the base commit and with the change. */
export interface StepTests {
  readonly step: string
  readonly base: TestReport | null
  readonly change: TestReport | null
}

/**
 * The effects of a change on the tests that ran before: removed, skipped and renamed tests, by
 * file. A file that could not be loaded on the base ran no test, so it may become any test. If a
 * runner named or counted tests and no longer does, that is reported too.
 */
export function compareTests(steps: readonly StepTests[]): readonly Suspicion[] {
  return steps.flatMap(({ step, base: whole, change }) => {
    if (whole === null) return []
    const base = { ...whole, tests: testsThatRan(whole) }
    const [before, now] = [howManyRan(whole), howManyRan(change)]
    if (base.tests.length === 0 && !before) return []
    // A runner that names only failures names no test where all pass.
    const isNamingFailures = base.tests.every(({ outcome, whole: own }) => outcome === 'failed' && !own)
    const isCountEnough = base.tests.length === 0 || (isNamingFailures && !base.complete)
    const isRead = change !== null && (change.tests.length > 0 || (isCountEnough && now !== null))
    if (!isRead || (base.complete && !change.complete && !standsFor(change, base))) return [unread(step, base, before)]
    return [...missing(step, base, change), ...skipped(step, base, change)]
  })
}

/** Steps in which a runner ran fewer tests than on the base, where only their number is known. */
export function compareCounts(steps: readonly StepTests[]): readonly Suspicion[] {
  return steps.flatMap(({ step, base, change }) => {
    if (base === null || change === null) return []
    return fewerRan(base, change).map(({ runner, before, now }) => {
      const who = runner === undefined ? 'tests' : `tests of ${runner}`
      const claim = `Fewer ${who} ran than on the base commit: ${now} instead of ${before}, in step ${step}.`
      const evidence = listed(testsThatRan(base).map(({ id }) => id))
      const identity = [step, ...(runner === undefined ? [] : [runner]), `${now - before}`]
      return { kind: 'tests_removed', file: '', claim, evidence, identity } as const
    })
  })
}

interface FewerRan {
  readonly runner?: string
  readonly before: number
  readonly now: number
}

function fewerRan(base: TestReport, change: TestReport): readonly FewerRan[] {
  const [were, are] = [ranByRunner(base), ranByRunner(change)]
  const pairs =
    were === null || are === null
      ? [{ before: howManyRan(base), now: howManyRan(change) }]
      : [...were].flatMap(([runner, { ran: before, isNamed }]) => {
          const now = are.get(runner) ?? { ran: 0, isNamed: true }
          // Names are compared elsewhere, and say more than numbers.
          return isNamed && now.isNamed ? [] : [{ runner, before, now: now.ran }]
        })
  return pairs.flatMap(({ before, now, ...rest }) =>
    before === null || now === null || now >= before ? [] : [{ ...rest, before, now }],
  )
}

/**
 * True for a runner that names only files on success, if the change still has each test or its file
 * and reports their number. Where the change names each test of a run, the names show what is gone.
 */
function standsFor(change: TestReport, base: TestReport): boolean {
  const { has, isInPlace, isWhole } = namedTests(base, change)
  const isCounted = howManyRan(change) !== null
  return base.tests.every(
    (test) => test.outcome === 'skipped' || isWhole(test) || (isCounted && (has(test) || isInPlace(test))),
  )
}

function unread(step: string, base: TestReport, before: number | null): Suspicion {
  const ids = base.tests.map(({ id }) => id)
  const [said, count] = ids.length === 0 ? ['how many tests it ran', before] : ['which tests it runs', ids.length]
  return {
    kind: 'tests_unread',
    file: '',
    claim: `The step ${step} no longer says ${said}: on the base commit it named ${count}.`,
    evidence: listed(ids),
    identity: [step, ...ids.toSorted()],
  }
}

function missing(step: string, base: TestReport, change: TestReport): readonly Suspicion[] {
  const { has, isInPlace, isWhole, mayBecome } = namedTests(base, change)
  const before = new Set(base.tests.map(({ id }) => id))
  const added = change.tests.filter(({ id, outcome }) => outcome !== 'skipped' && !before.has(id))
  // An entry that stood for a file or suite is still present if its content is named now.
  const opened = base.complete ? new Set<string>() : new Set(change.tests.flatMap(({ id }) => placesOf(id)))
  const gone = base.tests.filter(
    (test) =>
      test.outcome !== 'skipped' &&
      (isWhole(test) || test.whole) &&
      !(has(test) || opened.has(test.id) || isInPlace(test)),
  )
  const heirs = heirsOf(gone, added, mayBecome)
  return [...byFile(gone)].flatMap(([file, tests]) => {
    const removed = tests.filter(({ id }) => !heirs.has(id)).map(({ id }) => id)
    const renamed = tests.flatMap(({ id }) => (heirs.has(id) ? [`${id} → ${heirs.get(id)}`] : []))
    return [
      ...(removed.length === 0 ? [] : [about('tests_removed', { step, file, lines: removed, words: 'no longer run' })]),
      ...(renamed.length === 0
        ? []
        : [about('tests_renamed', { step, file, lines: renamed, words: 'run in another place' })]),
    ]
  })
}

function skipped(step: string, base: TestReport, change: TestReport): readonly Suspicion[] {
  const ran = new Set(base.tests.filter(({ outcome }) => outcome !== 'skipped').map(({ id }) => id))
  const now = change.tests.filter(({ id, outcome }) => outcome === 'skipped' && ran.has(id))
  return [...byFile(now)].map(([file, tests]) =>
    about('tests_skipped', {
      step,
      file,
      lines: tests.map(({ id }) => id),
      words: 'are skipped',
    }),
  )
}

interface OutcomeLines {
  readonly step: string
  readonly file: string
  readonly lines: readonly string[]
  readonly words: string
}

function about(kind: Suspicion['kind'], { step, file, lines, words }: OutcomeLines): Suspicion {
  return {
    kind,
    file,
    claim: `Tests that ran on the base commit ${words}: ${lines.length}${file === '' ? '' : ` of ${file}`}, in step ${step}.`,
    evidence: listed(lines),
    identity: [step, file, ...lines.toSorted()],
  }
}

/** The new place of each removed test that only moved: a new test has the same name elsewhere. */
function heirsOf(
  gone: readonly TestResult[],
  added: readonly TestResult[],
  mayBecome: NamedTests['mayBecome'],
): ReadonlyMap<string, string> {
  const free = Map.groupBy(added.toReversed(), ({ id }) => leafOf(id))
  return new Map(
    gone.flatMap((test) => {
      const own = free.get(leafOf(test.id))
      const last = own?.at(-1)
      if (own === undefined || last === undefined || !mayBecome(test, last)) return []
      own.pop()
      return [[test.id, last.id] as const]
    }),
  )
}

function byFile(tests: readonly TestResult[]): ReadonlyMap<string, readonly TestResult[]> {
  return Map.groupBy(tests, ({ id }) => testFileOf(id))
}

/** The file that an id starts with; '' if the runner gives none. */
export function testFileOf(id: string): string {
  const first = id.split(' > ', 1)[0] ?? ''
  return first !== id && /^[^\s]+\.[a-z0-9]+$/i.test(first) ? first : ''
}

function leafOf(id: string): string {
  return id.split(' > ').at(-1) ?? id
}
