import { type Part, partsBetween } from './brackets.ts'

/** A file's text, and its code with comments and contents of strings masked. */
export interface ReadCode {
  readonly text: string
  readonly code: string
}

/** Longer parts count as meaningful: nested ones would take too long to examine. */
const mostChars = 300

/** True if the compared values, or the single condition, hold whatever the code does. */
export function isVacuous(read: ReadCode, said: Part): boolean {
  if (said.end - said.start > mostChars) return false
  const parts = partsBetween(read.code, said)
  const [first, second] = parts
  if (first === undefined) return true
  if (second !== undefined && isSame(read, first, second)) return true
  return parts.every((part) => isConstant(read, part)) || holdsAlways(read, first)
}

/** True if two parts have the same words: such values are always equal. */
export function isSame({ text }: ReadCode, one: Part, other: Part): boolean {
  if (one.end - one.start > mostChars || other.end - other.start > mostChars) return false
  const words = text.slice(one.start, one.end).trim()
  return words !== '' && words === text.slice(other.start, other.end).trim()
}

const values: ReadonlySet<string> = new Set([
  'true',
  'false',
  'null',
  'undefined',
  'nil',
  'None',
  'True',
  'False',
  'NaN',
  'Infinity',
  'not',
  'and',
  'or',
  'is',
  'in',
  'typeof',
  'void',
  'new',
  'async',
  'await',
  'return',
  'lambda',
])

/** True if an expression names nothing: it consists of literals and operations on them. */
export function isConstant({ code }: ReadCode, { start, end }: Part): boolean {
  if (end - start > mostChars) return false
  const names = code.slice(start, end).match(/(?<![\w$.])[A-Za-z_$][\w$]*/g) ?? []
  return names.every((name) => values.has(name))
}

const always = /(?:\|\||\bor\b)\s*(?:true|True|1|!0)\s*\)*\s*$|^\s*\(*\s*(?:true|True|!0)\s*(?:\|\||\bor\b)/

const comparisons = ['===', '==', '<=', '>=', ' is ', ' eq '] as const

function holdsAlways(read: ReadCode, part: Part): boolean {
  const condition = read.code.slice(part.start, part.end)
  if (always.test(condition)) return true
  for (const sign of comparisons) {
    const at = condition.indexOf(sign)
    if (at < 0 || /[=!<>]/.test(condition[at - 1] ?? '')) continue
    const left = { start: part.start, end: part.start + at }
    return isSame(read, left, { start: left.end + sign.length, end: part.end })
  }
  return false
}
