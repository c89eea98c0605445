import type { Part } from '../brackets.ts'
import { type Assertion, assertionsIn, goneAssertions } from './assertion-list.ts'
import { isAwaitedNow } from './error-checks.ts'
import { type Literal, literalsIn } from './literals.ts'
import { names, type ReadFile, type Statement, testBlocks } from './statements.ts'
import { type Ask, createCopies, mostChars, type Place } from './test-copies.ts'

interface AskWhole extends Ask {
  /** True if the new tests have the assertion word by word. */
  readonly isWhole: boolean
}

export interface KeptCopies {
  /** Assertions whose values are nowhere in the new tests. */
  readonly lost: readonly Assertion[]
  readonly asks: readonly AskWhole[]
  /** The copies of tests that are added to each test file, by path. */
  readonly added: ReadonlyMap<string, string>
}

interface CopyQuery {
  readonly before: readonly ReadFile[]
  readonly after: readonly ReadFile[]
  readonly token: string
  /** True for a test that no longer runs under its name. */
  readonly isGone: (test: string) => boolean
}

/** Most copies of tests in all files together; later values are not asked about. */
const mostCopies = 120

/** Most assertions whose new place is looked up; for later ones a value counts anywhere. */
const mostAsked = 200

/**
 * Copies tests for old assertions that are not in the new tests word by word. The expected values
 * may have moved into a table, the arguments of a helper or a larger comparison. Each value is
 * spoiled in a copy of its new test and in a copy of its old test: where the old copy fails, so
 * must the new one.
 */
export function keptCopies({ before, after, token, isGone }: CopyQuery): KeptCopies {
  const of = (files: readonly ReadFile[]) => files.flatMap((file) => assertionsIn(file))
  const now = of(after)
  const { gone, added: fresh } = goneAssertions(of(before), now, isGone)
  const copies = createCopies(token)
  const isFresh = new Set(fresh)
  const renamed = renamedAlone(gone, fresh, isGone)
  const stayed = [...now.filter((each) => !isFresh.has(each)), ...renamed.values()]
  const uses = new Map(oldPlaces({ before, after, isGone }, stayed).map((at) => [at, Number.POSITIVE_INFINITY]))
  const shapes = fresh.map(({ shape }) => shape)
  const lost: Assertion[] = []
  const asks: AskWhole[] = []
  const moved = movedWhole(gone, fresh, isGone)
  const tooLong = valuesIn(after, uses, ({ start, end }) => end - start > mostChars)
  const all = gone.length > mostAsked ? valuesIn(after, uses, () => true) : tooLong
  for (const [i, assertion] of gone.entries()) {
    if (moved.has(assertion) || renamed.has(assertion)) continue
    const own = before.find(({ path }) => path === assertion.path)
    if (own !== undefined && isAwaitedNow(own, assertion, after)) continue
    if (assertion.literals.length === 0) {
      const same = shapes.indexOf(assertion.shape)
      if (same < 0) lost.push(assertion)
      else if (fresh[same]?.statement?.declares == null) shapes.splice(same, 1, '')
      continue
    }
    const expected = assertion.literals.filter(({ isGiven }) => !isGiven)
    const wanted = expected.length > 0 ? expected : assertion.literals.slice(-1)
    const found =
      i < mostAsked ? wanted.map((literal) => ({ literal, place: placeOf(after, { assertion, literal, uses }) })) : []
    const isTried = found.length > 0 && found.every(({ place }) => place !== null)
    if (own === undefined || (!isTried && !wanted.every(({ value }) => all.has(value)))) {
      lost.push(assertion)
      continue
    }
    // Values that are still present, but beyond a bound, are not asked about.
    if (!isTried || copies.size() > mostCopies) continue
    const isWhole = fresh.some(({ key }) => key === assertion.key)
    for (const { literal, place } of found)
      if (place !== null) asks.push({ ...copies.ask(assertion, { own, literal, place }), isWhole })
  }
  return { lost, asks, added: copies.texts() }
}

/**
 * Assertions of surviving tests, by the new assertion in the same test that differs in names of
 * variables alone.
 */
function renamedAlone(
  gone: readonly Assertion[],
  fresh: readonly Assertion[],
  isGone: (test: string) => boolean,
): ReadonlyMap<Assertion, Assertion> {
  const formOf = ({ test, shape, literals }: Assertion) =>
    JSON.stringify([test, shape, literals.map(({ value }) => value)])
  const left = Map.groupBy(fresh, formOf)
  return new Map(
    gone.flatMap((each) => {
      if (each.literals.length === 0 || (each.test !== null && isGone(each.test))) return []
      const now = left.get(formOf(each))?.shift()
      return now === undefined ? [] : [[each, now] as const]
    }),
  )
}

/** The values in new places of some statements. */
function valuesIn(
  files: readonly ReadFile[],
  uses: ReadonlyMap<string, number>,
  isWanted: (statement: Statement) => boolean,
): ReadonlySet<string> {
  return new Set(
    files.flatMap((file) =>
      file.statements
        .filter(isWanted)
        .flatMap((statement) => literalsOf(file, statement))
        .flatMap((literal) => (uses.has(placeAt(file, literal)) ? [] : [literal.value])),
    ),
  )
}

/** Assertions that are unchanged in a renamed test, except for the last one of each test. */
function movedWhole(
  gone: readonly Assertion[],
  fresh: readonly Assertion[],
  isGone: (test: string) => boolean,
): ReadonlySet<Assertion> {
  const words = fresh.map(({ key }) => key)
  const same = gone.filter(({ test, key }) => {
    const at = test !== null && isGone(test) ? words.indexOf(key) : -1
    if (at >= 0) words.splice(at, 1)
    return at >= 0
  })
  return new Set(
    same.filter((each, i) => same.slice(i + 1).some((later) => later.test === each.test && later.literals.length > 0)),
  )
}

const placeAt = ({ path }: Pick<ReadFile, 'path'>, { start }: Part) => `${path} ${start}`

/**
 * Literals in unchanged assertions and in unchanged lines, except for lines of removed tests. None
 * of them can be the new place of another value.
 */
function oldPlaces({ before, after, isGone }: Omit<CopyQuery, 'token'>, stayed: readonly Assertion[]): string[] {
  const left = new Map<string, number>()
  for (const file of before) {
    const gone = testBlocks(file).filter(({ name }) => isGone(name))
    for (const { start, words } of linesOf(file))
      if (!gone.some((each) => each.start <= start && start < each.end)) left.set(words, (left.get(words) ?? 0) + 1)
  }
  return after.flatMap((file) => {
    const known = linesOf(file).filter(({ words }) => {
      const count = left.get(words) ?? 0
      if (count > 0) left.set(words, count - 1)
      return count > 0
    })
    const own = stayed.filter(({ path }) => path === file.path)
    return literalsIn(file, { start: 0, end: file.code.length }).flatMap((literal) =>
      [...known, ...own].some(({ start, end }) => start <= literal.start && literal.end <= end)
        ? [placeAt(file, literal)]
        : [],
    )
  })
}

function linesOf({ text }: ReadFile): readonly (Part & { readonly words: string })[] {
  let at = 0
  return text.split('\n').map((line) => {
    const start = at + line.length - line.trimStart().length
    at += line.length + 1
    return { start, end: at, words: line.trim() }
  })
}

interface PlaceQuery {
  readonly assertion: Assertion
  readonly literal: Literal
  readonly uses: Map<string, number>
}

/** The new place of a value: in its test, in a helper of the test, or elsewhere. */
function placeOf(files: readonly ReadFile[], { assertion, literal, uses }: PlaceQuery): Place | null {
  const all = files.flatMap((file) => file.statements.flatMap((statement) => placesIn(file, statement, assertion)))
  const own = all.filter(({ isOwn }) => isOwn)
  for (const places of [own, all]) {
    const found = places.flatMap(({ file, statement, unit }) => {
      const here = literalsOf(file, statement)
      return here.flatMap((each) => {
        const at = placeAt(file, each)
        const isLoop = /\b(?:for|each|forEach|map|parametrize)\b/.test(file.code.slice(unit.start, unit.end))
        const most = statement === unit ? 1 : isLoop ? 1_000 : names(file, unit, statement.declares ?? '')
        if (each.value !== literal.value || (uses.get(at) ?? 0) >= most) return []
        const pool = statement === unit ? here : [...here, ...literalsOf(file, unit)]
        const span = spanWithAll(file, { each, statement, pool, isCall: statement !== unit }, assertion.literals)
        return span === null ? [] : [{ file, statement, unit, literal: each, at, span }]
      })
    })
    // On a tie the later literal wins, since the expected value comes last.
    const best = found.toSorted((a, b) => a.span - b.span || b.literal.start - a.literal.start)[0]
    if (best === undefined) continue
    uses.set(best.at, (uses.get(best.at) ?? 0) + 1)
    return best
  }
  return null
}

const known = new WeakMap<Statement, readonly Literal[]>()

function literalsOf(file: ReadFile, statement: Statement): readonly Literal[] {
  const found = known.get(statement) ?? literalsIn(file, statement)
  known.set(statement, found)
  return found
}

function placesIn(file: ReadFile, statement: Statement, { test }: Assertion) {
  const isNamed = (each: Statement) => test !== null && file.text.slice(each.start, each.end).includes(test)
  if (statement.end - statement.start > mostChars) return []
  if (statement.hasTests) return [{ file, statement, unit: statement, isOwn: isNamed(statement) }]
  const { declares } = statement
  if (declares === null) return []
  const users = file.statements.filter(
    (each) => each.hasTests && each.end - each.start <= mostChars && names(file, each, declares) > 0,
  )
  const unit = users.find(isNamed) ?? users[0]
  return unit === undefined ? [] : [{ file, statement, unit, isOwn: isNamed(unit) || isNamed(statement) }]
}

interface Spanning {
  readonly each: Literal
  readonly statement: Statement
  readonly pool: readonly Literal[]
  /** True if callers may pass some of the values. */
  readonly isCall: boolean
}

/** The size of the smallest brackets around a literal that contain all values of an assertion. */
function spanWithAll(
  { ends }: ReadFile,
  { each, statement, pool, isCall }: Spanning,
  all: readonly Literal[],
): number | null {
  const has = (part: Part) => {
    const left = pool.filter(({ start, end }) => part.start <= start && end <= part.end).map(({ value }) => value)
    return all.every(({ value }) => {
      const at = left.indexOf(value)
      if (at >= 0) left.splice(at, 1)
      return at >= 0
    })
  }
  for (let open = each.start; open >= statement.start; open -= 1) {
    const end = ends[open] ?? 0
    if (end >= each.end && has({ start: open, end: end + 1 })) return end - open
  }
  if (has(statement)) return statement.end - statement.start
  return isCall && has({ start: 0, end: Number.POSITIVE_INFINITY }) ? Number.MAX_SAFE_INTEGER : null
}

/**
 * True if the new tests still hold an assertion, by the outcomes of the copies. If no spoiled copy
 * fails, the new place of the value is unknown, unless the assertion is there word by word.
 */
export function isKept(
  { control, before, spoils, isWhole }: AskWhole,
  outcomeOf: (name: string) => 'passed' | 'failed' | null,
): boolean {
  if (outcomeOf(control) !== 'passed') return false
  if (!isWhole && !spoils.some(({ now }) => outcomeOf(now) === 'failed')) return false
  const isTold = before !== '' && outcomeOf(before) === 'passed'
  return spoils.every(({ now, was }) => outcomeOf(now) === 'failed' || (isTold && outcomeOf(was) === 'passed'))
}
