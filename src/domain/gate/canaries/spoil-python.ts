import { bracketEnds, type Part, partsBetween } from '../brackets.ts'
import { syntaxOf } from '../code-syntax.ts'
import { maskCode } from '../mask-code.ts'
import { isConstant } from '../vacuous.ts'
import { isRareText, lineAt, trimmed } from './other-literal.ts'
import { lastOfTable, type Table } from './parametrized.ts'
import type { Expectation } from './spoiling.ts'
import { type Near, nearInPython } from './within-tolerance.ts'

const definition = /^([ \t]*)(?:async )?def (test\w*)\([^()\n]*\)[^:\n]*:[ \t]*$/
const equal = /^self\.assert(?:Equals?|(?:Count|List|Dict|Tuple|Set|MultiLine|Sequence)Equal|Is)\(/
const excused = /\bskip|\bxfail\b|\bexpectedFailure\b|\bplatform\b|\benviron\b|\bimportorskip\b|\byield\b/

interface Line {
  readonly start: number
  readonly text: string
  readonly indent: string
}

interface SourceText {
  readonly text: string
  readonly code: string
  readonly ends: Int32Array
}

/** The last expectation of each test. */
export function expectedInPython(path: string, text: string): readonly Expectation[] {
  const code = maskCode(text, syntaxOf(path, text))
  const read = { text, code, ends: bracketEnds(code) }
  const lines = statementsOf(read)
  return lines.flatMap(({ start, text: line }, i): readonly Expectation[] => {
    const [, indent, name] = definition.exec(line) ?? []
    if (indent === undefined || name === undefined) return []
    const decorators = decoratorsBefore(lines, i)
    const tables = decorators.map((each) => /^[ \t]*@pytest\.mark\.parametrize\(/.exec(each.text)?.[0])
    // Other decorators may expect that the test fails.
    if (tables.includes(undefined)) return []
    const rest = lines.slice(i + 1)
    const length = rest.findIndex((each) => each.text.trim() !== '' && each.indent.length <= indent.length)
    const body = length < 0 ? rest : rest.slice(0, length)
    const last = body.findLast((each) => each.text.trim() !== '')
    const end = last === undefined ? start : last.start + last.text.trimEnd().length
    const from = decorators[0]?.start ?? start
    if (excused.test(code.slice(from, end))) return []
    const claims = directly(body).flatMap((each) => {
      const near = nearIn(read, each)
      if (near !== null) return [{ ...near, isLast: each === last }]
      const at = containedIn(read, each) ?? expectedIn(read, each)
      const own = decorators.map((one, n): Table => ({ open: one.start + (tables[n]?.length ?? 1) - 1 }))
      const value = at === null ? null : literalOf(read, { body, start, end, at, tables: own })
      return value === null ? [] : [{ at: value, isLast: each === last }]
    })
    const claimed =
      claims.at(-1) ??
      directly(body)
        .flatMap((each) => truthIn(read, each, each === last) ?? [])
        .at(-1) ??
      directly(body)
        .flatMap((each) => errorIn(read, body, each) ?? [])
        .at(-1)
    return claimed === undefined
      ? []
      : [{ name, line: lineAt(text, claimed.at.start), test: { start: from, end }, ...claimed }]
  })
}

/** Logical lines: each includes the lines that its brackets span. */
function statementsOf({ code, ends }: SourceText): readonly Line[] {
  const lines: Line[] = []
  let start = 0
  while (start <= code.length) {
    let at = start
    while (at < code.length && code[at] !== '\n') {
      const close = ends[at] ?? 0
      at = close > 0 ? close + 1 : code[at] === '\\' && code[at + 1] === '\n' ? at + 2 : at + 1
    }
    const text = code.slice(start, at).replace(/\r$/, '')
    lines.push({ start, text, indent: /^[ \t]*/.exec(text)?.[0] ?? '' })
    start = at + 1
  }
  return lines
}

function decoratorsBefore(lines: readonly Line[], at: number): readonly Line[] {
  let from = at
  while (from > 0 && /^[ \t]*@/.test(lines[from - 1]?.text ?? '')) from -= 1
  return lines.slice(from, at)
}

/** Statements at the top level of a body, and statements directly in a `try`. */
function directly(body: readonly Line[]): readonly Line[] {
  const depth = body.find(({ text }) => text.trim() !== '')?.indent
  if (depth === undefined) return []
  let tried = false
  let inner: string | null = null
  return body.filter(({ text, indent }) => {
    if (text.trim() === '') return false
    if (indent === depth) {
      tried = /^[ \t]*try[ \t]*:[ \t]*$/.test(text)
      inner = null
      return true
    }
    if (!tried) return false
    inner ??= indent
    return indent === inner
  })
}

/** The text that an assertion asks for in a value: `assertIn("median", names())`. */
function containedIn({ text, code, ends }: SourceText, line: Line): Part | null {
  const start = line.start + line.indent.length
  const end = line.start + line.text.trimEnd().length
  const said = code.slice(start, end)
  const called = /^self\.assertIn\(/.exec(said)?.[0]
  const open = start + (called?.length ?? 0) - 1
  const word = /^assert[ \t]+(?=[bru]?["'])/.exec(said)?.[0]
  const asked =
    called !== undefined && ends[open] === end - 1
      ? partsBetween(code, { start: open + 1, end: end - 1 })[0]
      : word !== undefined
        ? beforeIn(code, { start: start + word.length, end })
        : undefined
  if (asked === undefined) return null
  const at = trimmed(code, asked)
  return isRareText(text.slice(at.start, at.end)) ? at : null
}

/** The literal before the only `in` of a condition. */
function beforeIn(code: string, { start, end }: Part): Part | undefined {
  const literal = /^[bru]?(["'])[^"']*\1[ \t]+in[ \t]+(?!.*\b(?:and|or|in|if)\b)/.exec(code.slice(start, end))?.[0]
  return literal === undefined ? undefined : { start, end: start + literal.replace(/[ \t]+in[ \t]+$/, '').length }
}

/** The expected value of an assertion whose actual value is not a literal. */
function expectedIn({ text, code, ends }: SourceText, line: Line): Part | null {
  const start = line.start + line.indent.length
  const end = line.start + line.text.trimEnd().length
  const said = code.slice(start, end)
  const called = equal.exec(said)?.[0]
  if (called !== undefined) {
    const open = start + called.length - 1
    if (ends[open] !== end - 1) return null
    const [actual, expected] = partsBetween(code, { start: open + 1, end: end - 1 })
    if (called.includes('Is(') && !isTurned(code, expected)) return null
    return pick({ text, code, ends }, actual, expected)
  }
  const word = /^assert[ \t]+/.exec(said)?.[0]
  if (word === undefined) return null
  const [condition] = partsBetween(code, { start: start + word.length, end })
  if (condition === undefined) return null
  const sign = soleComparison(code, ends, condition)
  if (sign === null) return null
  const expected = { start: sign.end, end: condition.end }
  if (sign.isIdentity && !isTurned(code, expected)) return null
  return pick({ text, code, ends }, { start: condition.start, end: sign.start }, expected)
}

/** The condition of an assertion of truth, and its negation. */
function truthIn(
  { text, code, ends }: SourceText,
  line: Line,
  isLast: boolean,
): (Near & { readonly isLast: boolean }) | null {
  const start = line.start + line.indent.length
  const end = line.start + line.text.trimEnd().length
  const said = code.slice(start, end)
  const called = /^self\.assert(?:True|False)\(/.exec(said)?.[0]
  const word = called ?? /^assert(?=[ \t(])[ \t]*/.exec(said)?.[0]
  if (word === undefined || (called !== undefined && ends[start + called.length - 1] !== end - 1)) return null
  const [condition] = partsBetween(code, { start: start + word.length, end: called === undefined ? end : end - 1 })
  if (condition === undefined) return null
  const at = trimmed(code, condition)
  if (isConstant({ text, code }, at) || /\blambda\b|:=/.test(code.slice(at.start, at.end))) return null
  return { at, made: `not (${text.slice(at.start, at.end)})`, isLast }
}

/** A block that must raise a class of errors, changed to raise another class. */
function errorIn(
  { code, ends }: SourceText,
  body: readonly Line[],
  line: Line,
): (Near & { readonly isLast: boolean }) | null {
  const start = line.start + line.indent.length
  const said = code.slice(start, line.start + line.text.trimEnd().length)
  const head = /^with[ \t]+(?:self\.assertRaises|pytest\.raises)\(/.exec(said)?.[0]
  const close = head === undefined ? 0 : (ends[start + head.length - 1] ?? 0)
  if (head === undefined || close === 0 || !/^(?:[ \t]+as[ \t]+\w+)?:$/.test(said.slice(close + 1 - start))) return null
  const [wanted] = partsBetween(code, { start: start + head.length, end: close })
  const name = wanted === undefined ? '' : code.slice(wanted.start, wanted.end).trim()
  if (!/^[A-Za-z_][\w.]*$/.test(name) || /^(?:Base)?Exception$/.test(name)) return null
  const inside = body.slice(body.indexOf(line) + 1).find(({ text }) => text.trim() !== '')
  if (inside === undefined || inside.indent.length <= line.indent.length || /:\s*$/.test(inside.text)) return null
  const at = { start: inside.start + inside.indent.length, end: inside.start + inside.text.trimEnd().length }
  return { at, made: 'raise type("Another", (Exception,), {})', isLast: false }
}

/** The expected value of a statement that compares within a tolerance. */
function nearIn(read: SourceText, line: Line): Near | null {
  const { code, ends } = read
  const start = line.start + line.indent.length
  const end = line.start + line.text.trimEnd().length
  const said = code.slice(start, end)
  const approx = /^assert[ \t][^=<>!]*==[ \t]*(?:pytest\.)?approx\(/.exec(said)?.[0]
  const almost = /^self\.assertAlmostEquals?\(/.exec(said)?.[0]
  const open = start + (approx ?? almost ?? '').length - 1
  if (open < start || ends[open] !== end - 1) return null
  if (approx !== undefined) return nearInPython(read, { start: open + 1, end: end - 1 }, true)
  const [actual, expected] = partsBetween(code, { start: open + 1, end: end - 1 })
  if (actual === undefined || expected === undefined || isLiteral(read, actual)) return null
  return nearInPython(read, { start: expected.start, end: end - 1 }, false)
}

const isTurned = (code: string, part: Part | undefined) =>
  part !== undefined && /^\s*(?:True|False)\s*$/.test(code.slice(part.start, part.end))

function pick(read: SourceText, actual: Part | undefined, expected: Part | undefined): Part | null {
  if (actual === undefined || expected === undefined || isLiteral(read, actual)) return null
  return trimmed(read.code, expected)
}

interface ClaimPlace {
  readonly body: readonly Line[]
  readonly start: number
  readonly end: number
  readonly at: Part
  readonly tables: readonly Table[]
}

/**
 * The literal that an assertion compares with: its own, or the value of a variable used only there.
 */
function literalOf(read: SourceText, { body, start, end, at, tables }: ClaimPlace): Part | null {
  if (isLiteral(read, at)) return at
  const { code } = read
  const name = code.slice(at.start, at.end)
  if (!/^[A-Za-z_]\w*$/.test(name)) return null
  const uses = code.slice(start, end).match(new RegExp(`(?<![\\w.])${name}(?!\\w)`, 'g')) ?? []
  if (uses.length !== 2) return null
  const line = body.find(({ text }) => new RegExp(`^[ \\t]*${name}[ \\t]*=(?!=)`).test(text))
  if (line !== undefined) {
    const value = { start: line.start + line.text.indexOf('=') + 1, end: line.start + line.text.trimEnd().length }
    return isLiteral(read, value) ? trimmed(code, value) : null
  }
  for (const table of tables) {
    const cell = lastOfTable(read, table, name)
    if (cell !== null && isLiteral(read, cell)) return trimmed(code, cell)
  }
  return null
}

function isLiteral(read: SourceText, part: Part): boolean {
  const { start, end } = trimmed(read.code, part)
  return start < end && isConstant(read, { start, end }) && /^[-\d"'([{TFN]/.test(read.code.slice(start, end))
}

interface Sign extends Part {
  readonly isIdentity: boolean
}

/**
 * The only comparison outside of brackets, if it is `==` or `is`; null for several, or another one.
 */
function soleComparison(code: string, ends: Int32Array, { start, end }: Part): Sign | null {
  const plain = [...code.slice(start, end)]
  for (let at = start; at < end; at += 1) {
    const close = ends[at] ?? 0
    if (close > 0) {
      plain.fill('_', at - start, close + 1 - start)
      at = close
    }
  }
  const said = plain.join('')
  if (/\b(?:and|or|if|else|in|not|lambda)\b|:=/.test(said)) return null
  const signs = [...said.matchAll(/[=<>!]=|[<>]|\bis\b/g)]
  const [only, more] = signs
  if (only === undefined || more !== undefined || !['==', 'is'].includes(only[0])) return null
  const at = start + only.index
  return { start: at, end: at + only[0].length, isIdentity: only[0] === 'is' }
}
