import { bracketEnds, type Part } from '../brackets.ts'
import type { Language } from '../code-syntax.ts'

/** A literal of code, and its place. */
export interface Literal extends Part {
  /** Equal for equal values, however they are written. */
  readonly value: string
  /** True if the literal is an argument of a call, or an index: an input, not an expected value. */
  readonly isGiven: boolean
}

interface SourceText {
  readonly text: string
  /** The text without comments and strings. */
  readonly code: string
  readonly language: Language
}

const literal =
  /(?<quote>["'`])|(?<regex>\/ +\/[a-z]*)|(?<![\w$.])(?<kind>[A-Z]\w*(?:Error|Exception|Warning))(?![\w$])|(?<![\w$.])(?<number>\d[\d_]*(?:\.\d+)?(?:e[-+]?\d+)?|\.\d+)n?(?![\w$])|(?<![\w$.])(?<word>true|false|null|undefined|None|True|False|NaN)(?![\w$])|(?<empty>\[\s*\]|\{\s*\})/g

/** The literals in a part of code, in their order. */
export function literalsIn({ text, code }: SourceText, { start, end }: Part): readonly Literal[] {
  const ends = bracketEnds(code.slice(start, end))
  const found: Literal[] = []
  literal.lastIndex = start
  for (let match = literal.exec(code); match !== null && match.index < end; match = literal.exec(code)) {
    const { quote, regex, kind, number, word, empty } = match.groups ?? {}
    let close = match.index + match[0].length
    let value = ''
    if (quote !== undefined) {
      const last = code.indexOf(quote, close)
      if (last < 0 || last >= end) return found
      // A template with placeholders is not a literal.
      const said = text.slice(close, last)
      close = last + 1
      literal.lastIndex = close
      if (quote === '`' && said.includes('${')) continue
      value = `text ${said}`
    } else if (regex !== undefined) value = `regex ${text.slice(match.index, close)}`
    else if (kind !== undefined) value = `kind ${kind}`
    else if (number !== undefined) value = `number ${Number(number.replaceAll('_', ''))}`
    else if (word !== undefined) value = `word ${word.toLowerCase()}`
    else if (/[\w$)\]]\s*$/.test(code.slice(Math.max(start, match.index - 80), match.index))) continue
    else value = `empty ${empty?.charAt(0)}`
    found.push({
      start: match.index,
      end: close,
      value,
      isGiven: isGiven(code.slice(start, end), ends, match.index - start),
    })
  }
  return found
}

/** True if the innermost brackets, except lists and objects, are those of a call or an index. */
function isGiven(code: string, ends: Int32Array, at: number): boolean {
  for (let open = at - 1; open >= 0; open -= 1) {
    if ((ends[open] ?? 0) <= at) continue
    if (code[open] === '(' || (code[open] === '[' && /[\w$)\]]$/.test(code.slice(0, open))))
      return /[\w$)\]]\s*$/.test(code.slice(0, open))
  }
  return false
}

/** Other values of the same type, for which an exact comparison fails. */
export function spoiledValues(
  { text, language }: SourceText,
  { start, end, value }: Literal,
  token: string,
): readonly string[] {
  const said = text.slice(start, end)
  const [type, ...rest] = value.split(' ')
  const content = rest.join(' ')
  switch (type) {
    case 'number': {
      const by = 2 + (token.charCodeAt(token.length - 1) % 5)
      return [`(${Number(content)} + ${by})`, `(${Number(content)} - ${by})`]
    }
    case 'text': {
      const quote = said.charAt(0)
      const whole = `${quote}${token}${quote}`
      if (content.length < 2 || content.includes('\\')) return [whole]
      return [whole, `${quote}${content.slice(0, -1)}${quote}`, `${quote}${content.slice(1)}${quote}`]
    }
    case 'regex':
      return [`/${token}/`]
    case 'kind':
      return [language === 'python' ? `type('${token}', (Exception,), {})` : '(class extends Error {})']
    case 'empty':
      return [said.startsWith('[') ? `['${token}']` : `{ '${token}': 1 }`]
    default:
      return [`'${token}'`]
  }
}
