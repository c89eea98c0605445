import { bracketEnds, type Part, partsBetween } from '../brackets.ts'
import { type Language, syntaxOf } from '../code-syntax.ts'
import { maskCode } from '../mask-code.ts'
import type { DrawnValues } from './drawn-values.ts'

/** A literal as its file has it, and the path of that file. */
interface Literal {
  readonly path: string
  readonly text: string
}

interface SourceText extends Part {
  readonly text: string
  readonly code: string
  readonly ends: Int32Array
  readonly language: Language
  readonly values: DrawnValues
}

/**
 * True for a text so long that another one is unlikely to stand in the same place: `'a'` may well
 * be in a list that has `'b'`.
 */
export function isRareText(literal: string): boolean {
  return /^[bBrRfuU]{0,2}(["'`]).{5,}\1$/.test(literal)
}

/** Significant digits: the number type of a language may lose further ones. */
const [digitsOfWhole, digitsOfFraction] = [12, 6]

/**
 * Makes another literal of the same type that is as close as possible: a number that differs in its
 * last digit, a string with one other letter, a list or an object with one other element. Code that
 * accepts both does not compare values. Null where no such literal is known.
 */
export function otherLiteral({ path, text }: Literal, values: DrawnValues): string | null {
  const syntax = syntaxOf(path, text)
  const code = maskCode(text, syntax)
  const read = { text, code, ends: bracketEnds(code), language: syntax.language, values }
  return other({ ...read, start: 0, end: text.length })
}

function other(part: SourceText): string | null {
  const { text, code, ends, language, values } = part
  const { start, end } = trimmed(code, part)
  const said = text.slice(start, end)
  if (said === '') return null
  const word = words.get(said)
  if (word !== undefined) {
    if (/^(?:true|false)$/i.test(said)) return word
    return isTyped(language) ? null : String(values.number())
  }
  if (/^[-+]?\.?\d/.test(said)) return otherNumber(said, values)
  const string = /^(?<prefix>[bBrRfuU]{0,2}|b|L|u8)(?<mark>"""|'''|["'`])(?<body>[\s\S]*)\k<mark>$/.exec(said)?.groups
  if (string !== undefined) {
    const { prefix = '', mark = '', body = '' } = string
    if (isSeveral(code.slice(start, end), prefix.length, mark)) return null
    const changed = mark === '`' && language === 'script' && body.includes('${') ? null : otherText(body, values)
    return changed === null ? null : `${prefix}${mark}${changed}${mark}`
  }
  const open = code.charAt(start)
  if (!'[{('.includes(open) || ends[start] !== end - 1) return null
  return otherElement({ ...part, start, end })
}

const words: ReadonlyMap<string, string> = new Map([
  ...(['true', 'false', 'True', 'False'] as const).map(
    (word) => [word, { true: 'false', false: 'true', True: 'False', False: 'True' }[word]] as const,
  ),
  ...['null', 'undefined', 'None', 'NaN', 'Infinity', '-Infinity', 'nil'].map((word) => [word, ''] as const),
])

/** True if the compiler rejects a value of another type. */
const isTyped = (language: Language) => language === 'go' || language === 'rust' || language === 'c-like'

/** True if the part consists of several strings, as in `'a' 'b'` and `'a' + 'b'`. */
function isSeveral(code: string, prefix: number, mark: string): boolean {
  return code.indexOf(mark.charAt(0), prefix + mark.length) < code.length - mark.length
}

/** Changes the last significant digit of a number. */
function otherNumber(said: string, values: DrawnValues): string | null {
  const parts = /^(?<sign>[-+]?)(?<whole>[\d_]*)(?<point>\.?)(?<fraction>[\d_]*)(?<rest>(?:[eE][-+]?\d{1,2})?\w{0,4})$/
  const { sign = '', whole = '', point = '', fraction = '', rest = '' } = parts.exec(said)?.groups ?? {}
  const digits = (whole + fraction).replaceAll('_', '')
  if (digits === '' || (/^0[\dxXbBoO]/.test(whole + rest) && point === '')) return null
  const first = /[1-9]/.exec(digits)?.index ?? digits.length - 1
  const last = Math.min(digits.length, first + (point === '' ? digitsOfWhole : digitsOfFraction))
  const head = BigInt(digits.slice(0, last))
  // The limits of number types are powers of two, or one less.
  const isLimit = (head & (head + 1n)) === 0n || (head & (head - 1n)) === 0n
  const up = !isLimit && values.below(2) === 0
  // Zero can only grow, whatever its sign.
  const changed = head === 0n || up ? head + 1n : head - 1n
  const made = String(changed).padStart(last, '0') + digits.slice(last)
  const cut = made.length - fraction.replaceAll('_', '').length
  const isPadded = /^0\d/.test(whole)
  const before = isPadded ? made.slice(0, cut) : made.slice(0, cut).replace(/^0+(?=\d)/, '')
  return `${sign}${before}${point}${made.slice(cut)}${rest}`
}

/** Changes one letter or digit, but none in an escape sequence or a format placeholder. */
export function otherText(body: string, values: DrawnValues): string | null {
  const places = [...body.matchAll(/(?<![\\%{][\w{]{0,8})[A-Za-z0-9]/g)].map(({ index }) => index)
  const at = places[values.below(places.length)]
  if (at === undefined) return body.includes('\\') ? null : `${body}${values.word()}`
  const was = body.charAt(at)
  const [start, count] = /\d/.test(was) ? [48, 10] : /[a-z]/.test(was) ? [97, 26] : [65, 26]
  const place = ((was.codePointAt(0) ?? 0) - start + 1 + values.below(count - 1)) % count
  return body.slice(0, at) + String.fromCodePoint(start + place) + body.slice(at + 1)
}

/** Changes one element or the value of one key; adds a first element to an empty literal. */
function otherElement(part: SourceText): string | null {
  const { text, code, start, end, language, values } = part
  const inside = partsBetween(code, { start: start + 1, end: end - 1 })
  // A spread element may override the replaced one.
  if (inside.some((each) => /^\s*(?:\.\.\.|\*)/.test(code.slice(each.start, each.end)))) return null
  if (inside.length === 0) {
    if (isTyped(language)) return null
    const [open, close] = [code.charAt(start), code.charAt(end - 1)]
    if (open === '[') return `[${values.number()}]`
    if (open !== '{' || language === 'python') return open === '{' ? `{"${values.word()}": ${values.number()}}` : null
    return `${open} ${values.word()}: ${values.number()} ${close}`
  }
  // In other languages the value of several operands in round brackets is the last one.
  if (code.charAt(start) === '(' && inside.length > 1 && !['python', 'rust'].includes(language)) return null
  const isKeyed = code.charAt(start) === '{'
  const from = values.below(inside.length)
  for (let i = 0; i < inside.length; i += 1) {
    const each = inside[(from + i) % inside.length]
    const value = each === undefined ? null : isKeyed ? keyedValue(code, each) : each
    if (value === null) continue
    const made = other({ ...part, ...value })
    if (made !== null) {
      const { start: at, end: to } = trimmed(code, value)
      return text.slice(start, at) + made + text.slice(to, end)
    }
  }
  return null
}

/** The value behind the first colon outside of brackets; the whole part in a set. */
function keyedValue(code: string, { start, end }: Part): Part | null {
  let depth = 0
  for (let at = start; at < end; at += 1) {
    const letter = code.charAt(at)
    if ('([{'.includes(letter)) depth += 1
    else if (')]}'.includes(letter)) depth -= 1
    else if (letter === ':' && depth === 0) return { start: at + 1, end }
  }
  return { start, end }
}

/**
 * Replaces every literal in a value that a constructor or a composite literal makes, since not all
 * of them may take part in the comparison. Null where it has no literal.
 */
export function otherConstructed({ path, text }: Literal, values: DrawnValues): string | null {
  const plain = otherLiteral({ path, text }, values)
  if (plain !== null) return plain
  const code = maskCode(text, syntaxOf(path, text))
  let [made, from, count] = ['', 0, 0]
  for (const { index, 0: literal } of code.matchAll(
    /(?<![\w.$"'])(?:-?\d[\w.]*|true\b|false\b|"[^"\n]*"|'[^'\n]*')(?!\s*:(?!:))/g,
  )) {
    const other = otherLiteral({ path, text: text.slice(index, index + literal.length) }, values)
    if (other === null) continue
    made += text.slice(from, index) + other
    from = index + literal.length
    count += 1
  }
  return count === 0 ? null : made + text.slice(from)
}

export function trimmed(code: string, { start, end }: Part): Part {
  const part = code.slice(start, end)
  return { start: start + (part.length - part.trimStart().length), end: end - (part.length - part.trimEnd().length) }
}

export function lineAt(text: string, at: number): string {
  const start = text.lastIndexOf('\n', at) + 1
  const end = text.indexOf('\n', at)
  return text.slice(start, end < 0 ? text.length : end).trim()
}
