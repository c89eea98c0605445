import type { Part } from '../brackets.ts'
import { type Assertion, assertionsIn, goneAssertions } from './assertion-list.ts'
import { type Literal, literalsIn, spoiledValues } from './literals.ts'
import { names, type ReadFile, renamed, type Statement, testBlocks } from './statements.ts'

/** One value that an old assertion expected, and the copies of tests that say whether it still counts. */
export interface Ask {
  readonly assertion: Assertion
  /** The new test as it is: it must pass. */
  readonly control: string
  readonly spoils: readonly { readonly now: string; readonly was: string }[]
  /** The old test as it was; only where it passes does `was` say anything. */
  readonly before: string
}

export interface KeptCopies {
  /** Assertions whose values are nowhere in the new tests, or cannot be tried. */
  readonly lost: readonly Assertion[]
  readonly asks: readonly Ask[]
  /** What is added to each test file. */
  readonly added: ReadonlyMap<string, string>
}

interface Asked {
  readonly before: readonly ReadFile[]
  readonly after: readonly ReadFile[]
  readonly token: string
  /** Tests that no longer run under their name. */
  readonly isGone: (test: string) => boolean
}

/** Most copies of tests in all files together, and most characters of what is copied. */
const [mostCopies, mostChars] = [60, 20_000]

/**
 * Old assertions that are not in the new tests word by word. Their values may have gone into a
 * table, the arguments of a helper or a larger comparison. Each is spoiled in a copy of the test
 * that has it now, and in the old test beside it: what failed for it must fail still.
 */
export function keptCopies({ before, after, token, isGone }: Asked): KeptCopies {
  const of = (files: readonly ReadFile[]) => files.flatMap((file) => assertionsIn(file))
  const now = of(after)
  const { gone, added: fresh } = goneAssertions(of(before), now, isGone)
  const copies = createCopies(token)
  const isFresh = new Set(fresh)
  const stayed = now.filter((each) => !isFresh.has(each))
  const uses = new Map(oldPlaces({ before, after, isGone }, stayed).map((at) => [at, Number.POSITIVE_INFINITY]))
  const shapes = fresh.map(({ shape }) => shape)
  const lost: Assertion[] = []
  const asks: Ask[] = []
  for (const assertion of gone) {
    const own = before.find(({ path }) => path === assertion.path)
    if (assertion.literals.length === 0) {
      const same = shapes.indexOf(assertion.shape)
      if (same < 0) lost.push(assertion)
      else if (fresh[same]?.statement?.declares == null) shapes.splice(same, 1, '')
      continue
    }
    const expected = assertion.literals.filter(({ isGiven }) => !isGiven)
    const wanted = expected.length > 0 ? expected : assertion.literals.slice(-1)
    const found = wanted.map((literal) => ({ literal, place: placeOf(after, { assertion, literal, uses }) }))
    if (own === undefined || found.some(({ place }) => place === null) || copies.size() > mostCopies) {
      lost.push(assertion)
      continue
    }
    for (const { literal, place } of found)
      if (place !== null) asks.push(copies.ask(assertion, { own, literal, place }))
  }
  return { lost, asks, added: copies.texts() }
}

const placeAt = ({ path }: Pick<ReadFile, 'path'>, { start }: Part) => `${path} ${start}`

/**
 * Literals that hold what they held before: those of assertions that stayed, and of lines that were
 * there, unless their test is gone. None of them stands for another value.
 */
function oldPlaces({ before, after, isGone }: Omit<Asked, 'token'>, stayed: readonly Assertion[]): string[] {
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

interface Place {
  readonly file: ReadFile
  readonly literal: Literal
  /** Where it stands. */
  readonly statement: Statement
  /** The tests that use it. */
  readonly unit: Statement
}

interface Wanted {
  readonly assertion: Assertion
  readonly literal: Literal
  readonly uses: Map<string, number>
}

/** Where a value is expected now: in its test, in a table or a helper that its test uses, or elsewhere. */
function placeOf(files: readonly ReadFile[], { assertion, literal, uses }: Wanted): Place | null {
  const all = files.flatMap((file) => file.statements.flatMap((statement) => placesIn(file, statement, assertion)))
  const own = all.filter(({ isOwn }) => isOwn)
  for (const places of [own, all]) {
    const found = places.flatMap(({ file, statement, unit }) => {
      const here = literalsIn(file, statement)
      return here.flatMap((each) => {
        const at = placeAt(file, each)
        const isLoop = /\b(?:for|each|forEach|map|parametrize)\b/.test(file.code.slice(unit.start, unit.end))
        const most = statement === unit ? 1 : isLoop ? 1_000 : names(file, unit, statement.declares ?? '')
        if (each.value !== literal.value || (uses.get(at) ?? 0) >= most) return []
        const pool = statement === unit ? here : [...here, ...literalsIn(file, unit)]
        const span = spanWithAll(file, { each, statement, pool, isCall: statement !== unit }, assertion.literals)
        return span === null ? [] : [{ file, statement, unit, literal: each, at, span }]
      })
    })
    // What is expected comes last.
    const best = found.toSorted((a, b) => a.span - b.span || b.literal.start - a.literal.start)[0]
    if (best === undefined) continue
    uses.set(best.at, (uses.get(best.at) ?? 0) + 1)
    return best
  }
  return null
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
  /** Some of the values may be given by whoever calls. */
  readonly isCall: boolean
}

/** The size of the smallest brackets around a literal that have all values of an assertion. */
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

interface Copying {
  readonly own: ReadFile
  readonly literal: Literal
  readonly place: Place
}

function createCopies(token: string) {
  const added = new Map<string, string[]>()
  const controls = new Map<string, string>()
  let count = 0
  const add = (path: string, make: (name: string) => string): string => {
    const name = `${token}q${String(count++).padStart(3, '0')}z`
    const own = added.get(path) ?? []
    added.set(path, own)
    own.push(make(name))
    return name
  }
  const controlOf = (key: string, path: string, make: (name: string) => string): string => {
    const known = controls.get(key) ?? add(path, make)
    controls.set(key, known)
    return known
  }
  return {
    size: () => count,
    texts: () => new Map([...added].map(([path, own]) => [path, own.join('\n\n')])),
    ask(assertion: Assertion, { own, literal, place }: Copying): Ask {
      const { file, statement, unit } = place
      const { path } = file
      const old = assertion.statement
      const oldCopy = (by: string | null) => (name: string) =>
        old?.hasTests ? copyOf(own, { statement: old, unit: old }, { at: literal, by }, name) : ''
      const newCopy = (by: string | null) => (name: string) =>
        copyOf(file, { statement, unit }, { at: place.literal, by }, name)
      const values = spoiledValues(own, literal, token)
      const isTried = old?.hasTests === true && old.end - old.start <= mostChars
      return {
        assertion,
        control: controlOf(`${path} ${unit.start} ${statement.start}`, path, newCopy(null)),
        before: isTried ? controlOf(`old ${own.path} ${old.start}`, path, oldCopy(null)) : '',
        spoils: values.map((by) => ({
          now: add(path, newCopy(by)),
          was: isTried ? add(path, oldCopy(by)) : '',
        })),
      }
    },
  }
}

interface Spoiling {
  readonly at: Part
  readonly by: string | null
}

/** A copy of tests, and of what they use where the value stands, under names of their own. */
function copyOf(
  file: ReadFile,
  { statement, unit }: { readonly statement: Statement; readonly unit: Statement },
  { at, by }: Spoiling,
  name: string,
): string {
  const spoiled = (part: Part) => {
    const text = file.text.slice(part.start, part.end)
    if (by === null || at.start < part.start || at.end > part.end) return text
    return text.slice(0, at.start - part.start) + by + text.slice(at.end - part.start)
  }
  const { declares } = statement
  if (statement === unit || declares === null) return renamed(spoiled(unit), file.path, name)
  const other = `${declares}_${name}`
  const word = new RegExp(`(?<![\\w$.'"])${declares.replaceAll('$', '\\$')}(?![\\w$'"])`, 'g')
  const tests = renamed(file.text.slice(unit.start, unit.end), file.path, name)
  const used = spoiled(statement).replace(/^export\s+(?:default\s+)?/, '')
  return [used, tests].map((text) => text.replace(word, other)).join('\n\n')
}

/** The file with copies of tests: at its end, but before what a script in Python runs. */
export function withCopies(path: string, text: string, copies: string): string {
  const main = path.endsWith('.py') ? text.search(/^if[ \t]+__name__[ \t]*==/m) : -1
  const at = main < 0 ? text.length : main
  return `${text.slice(0, at).trimEnd()}\n\n\n${copies}\n\n\n${text.slice(at)}`
}

/** Whether what an assertion held is held still, by what became of the copies. */
export function isKept(
  { control, before, spoils }: Ask,
  outcomeOf: (name: string) => 'passed' | 'failed' | null,
): boolean {
  if (outcomeOf(control) !== 'passed') return false
  const isTold = before !== '' && outcomeOf(before) === 'passed'
  return spoils.every(({ now, was }) => outcomeOf(now) === 'failed' || (isTold && outcomeOf(was) === 'passed'))
}
