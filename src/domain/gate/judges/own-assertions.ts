import { bracketEnds, type Part, partsBetween } from '../brackets.ts'
import type { DrawnValues } from '../canaries/drawn-values.ts'
import { otherLiteral, otherText } from '../canaries/other-literal.ts'
import { syntaxOf } from '../code-syntax.ts'
import { maskCode } from '../mask-code.ts'
import { isC } from '../modules/c-modules.ts'
import { checking } from '../modules/judging-words.ts'
import { isShell } from '../modules/shell-modules.ts'
import { blocksOf } from '../reach/blocks-of.ts'
import { functionName } from '../reach/function-names.ts'

/** A macro or function with which a project's tests assert something, with its whole text. */
export interface OwnAssertion extends Part {
  readonly name: string
  readonly text: string
}

/** The assertions that a file of tests defines for itself. */
export function ownAssertions(path: string, text: string): readonly OwnAssertion[] {
  const found = isShell(path) ? shellFunctions(text) : [...(isC(path) ? macros(text) : []), ...functions(path, text)]
  const all = found.map((part) => ({ ...part, text: text.slice(part.start, part.end) }))
  return all.filter((each) => judges(each)).toSorted((one, other) => one.start - other.start)
}

interface Definition extends Part {
  readonly name: string
  readonly isFunction: boolean
  /** True if the function has parameters. */
  readonly hasValues: boolean
}

const failing =
  /\b(?:fail\w*|broken|bad|errors?|status|abort|exit|_Exit|longjmp|raise|throw|panic|die)\b|\breturn\s+1\b/i
const deciding = /\bif\b|\bcase\b|\?|&&|\|\||\[ /
/** The end of a test program: without parameters, it reports the number of failures. */
const ending = /\b(?:return|exit)\b[^;\n]*\b(?:fail\w*|broken|bad|errors?|status)\b|\b(?:exit|return)[ \t(]*[01]\b/i
const mostChars = 300

/** True by the name, or because the body decides whether something has failed. */
function judges({ name, text, isFunction, hasValues }: Definition & { readonly text: string }): boolean {
  // Tests are functions with such names, too.
  if (isFunction && /^(?:tests?(?:$|[_A-Z\d])|main$|setup|teardown)/i.test(name)) return false
  if (!hasValues) return text.length < mostChars && ending.test(text) && !/[2-9]|[!=]=/.test(text)
  return checking.test(name) || (failing.test(text) && deciding.test(text))
}

function macros(text: string): readonly Definition[] {
  const found = text.matchAll(/^[ \t]*#[ \t]*define[ \t]+(\w+)(\()?(?:\\\r?\n|[^\n])*/gm)
  return [...found].flatMap(({ index, 0: whole, 1: name = '', 2: open }) => {
    const isValue = open === undefined
    return isValue && !checking.test(name)
      ? []
      : [{ name, start: index, end: index + whole.length, isFunction: false, hasValues: true }]
  })
}

function functions(path: string, text: string): readonly Definition[] {
  const code = maskCode(text, syntaxOf(path, text))
  return (blocksOf(path, text)?.blocks ?? []).flatMap((block) => {
    const name = functionName(code, block)
    const hasValues = !/\(\s*(?:void)?\s*\)\s*\{?\s*$/.test(code.slice(block.from, block.start))
    if (name === null) return []
    const end = code.charAt(block.end) === '}' ? block.end + 1 : block.end
    return [{ name, start: block.from, end, isFunction: true, hasValues }]
  })
}

function shellFunctions(text: string): readonly Definition[] {
  const found = text.matchAll(
    /^([ \t]*)(?:function[ \t]+)?([\w:-]+)[ \t]*\(\)\s*[{(](?:[^\n]*[})][ \t]*$|[\s\S]*?^\1[})])/gm,
  )
  return [...found].map(({ index, 0: whole, 2: name = '' }) => {
    const hasValues = /\$(?:[@*#\d]|\{[@*#\d])/.test(whole)
    return { name, start: index, end: index + whole.length, isFunction: true, hasValues }
  })
}

/** Equal for texts that differ in comments and layout alone. */
export function sameAssertion(path: string, one: string, other: string): boolean {
  const bare = (text: string) => {
    const code = isShell(path) ? text.replace(/^[ \t]*#.*$/gm, '') : uncommented(path, text)
    return code
      .replace(/\\\r?\n/g, ' ')
      .replace(/\s+/g, ' ')
      .trim()
  }
  return bare(one) === bare(other)
}

function uncommented(path: string, text: string): string {
  const code = maskCode(text, syntaxOf(path, text))
  return text.replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, (said, at: number) =>
    code.slice(at, at + 2).trim() === '' ? '' : said,
  )
}

/** A file with other literals in one call of an assertion. */
interface SpoiledCall {
  readonly text: string
  /** The line of the call, from 1. */
  readonly line: number
}

/**
 * The calls of an assertion outside of its definition, the last one first. Each gets other
 * literals: an assertion that compares them must fail.
 */
export function spoiledCalls(
  { path, text, name }: { readonly path: string; readonly text: string; readonly name: string },
  values: DrawnValues,
): readonly SpoiledCall[] {
  const own = isShell(path)
    ? shellFunctions(text)
    : [...(isC(path) ? macros(text) : []), ...functions(path, text).filter((each) => each.name === name)]
  const isDefinition = (at: number) => own.some(({ start, end }) => at >= start && at < end && !isTestBody(own, at))
  const calls = isShell(path) ? shellCalls(text, name) : codeCalls(path, text, name)
  return calls.toReversed().flatMap(({ at, literals }) => {
    if (isDefinition(at) || literals.length === 0) return []
    let made = text
    for (const { start, end } of literals.toReversed()) {
      const said = text.slice(start, end)
      const other = isShell(path) ? otherWord(said, values) : otherLiteral({ path, text: said }, values)
      if (other !== null) made = made.slice(0, start) + other + made.slice(end)
    }
    return made === text ? [] : [{ text: made, line: text.slice(0, at).split('\n').length }]
  })
}

/** A shell test is a function as well; its calls do not belong to an assertion. */
function isTestBody(own: readonly Definition[], at: number): boolean {
  return own.some(({ start, end, name }) => at >= start && at < end && /^test/i.test(name))
}

interface Call {
  readonly at: number
  readonly literals: readonly Part[]
}

function codeCalls(path: string, text: string, name: string): readonly Call[] {
  const code = maskCode(text, syntaxOf(path, text))
  const ends = bracketEnds(code)
  return [...code.matchAll(new RegExp(`(?<![\\w.])${name}\\s*\\(`, 'g'))].map(({ index, 0: call }) => {
    const open = index + call.length - 1
    const inside = { start: open + 1, end: ends[open] ?? 0 }
    return { at: index, literals: partsBetween(code, inside).flatMap((part) => literalsIn({ text, code }, part)) }
  })
}

/** Numbers and strings that stand in no bracket of their own. */
function literalsIn({ text, code }: { readonly text: string; readonly code: string }, part: Part): readonly Part[] {
  const found: Part[] = []
  let depth = 0
  for (let at = part.start; at < part.end; at += 1) {
    const letter = code.charAt(at)
    if ('([{'.includes(letter)) depth += 1
    else if (')]}'.includes(letter)) depth -= 1
    if (depth > 0) continue
    const literal = /^(?:\d[\w.]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')/.exec(text.slice(at, part.end))?.[0]
    if (literal === undefined || /[\w.]/.test(code.charAt(at - 1))) continue
    found.push({ start: at, end: at + literal.length })
    at += literal.length - 1
  }
  return found
}

function shellCalls(text: string, name: string): readonly Call[] {
  const found = text.matchAll(new RegExp(`(?:^|[;&|{]|\\b(?:then|do|else))[ \\t]*${name}(?=[ \\t])`, 'gm'))
  return [...found].map(({ index, 0: whole }) => {
    const at = index + whole.length
    return { at, literals: wordsOf(text, at) }
  })
}

/** The words of a command that are plain text, up to its end. */
function wordsOf(text: string, from: number): readonly Part[] {
  const words: Part[] = []
  let [start, depth, quote] = [-1, 0, '']
  let at = from
  for (; at < text.length; at += 1) {
    const letter = text.charAt(at)
    if (letter === '\\') at += 1
    else if (text.startsWith('$(', at)) depth += 1
    else if (letter === ')' && depth > 0) depth -= 1
    else if (depth === 0 && quote === '' && /["']/.test(letter)) quote = letter
    else if (depth === 0 && letter === quote) quote = ''
    const isEnd = depth === 0 && quote === '' && /[\s;&|]/.test(letter)
    if (!isEnd && start < 0) start = at
    if (!isEnd) continue
    if (start >= 0) words.push({ start, end: at })
    start = -1
    if (/[\n;&|]/.test(letter)) break
  }
  if (start >= 0) words.push({ start, end: at })
  return words.filter((word) => !/[$`]/.test(text.slice(word.start, word.end)))
}

function otherWord(said: string, values: DrawnValues): string | null {
  const [, mark = '', body = ''] = /^(["']?)(.*)\1$/s.exec(said) ?? []
  const made = /^-/.test(body) ? null : otherText(body, values)
  return made === null ? null : `${mark}${made}${mark}`
}
