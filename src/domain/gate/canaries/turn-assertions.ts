import { bracketEnds, type Part, partsBetween } from '../brackets.ts'

/** A call that is a statement; its name is that of an assertion of the file's own, or not. */
const statement = /(?<=[;{})]\s*|\n\s*)(?<name>[A-Za-z_]\w*)\s*\(/g
const noCall = /^(?:if|for|while|switch|return|sizeof|else|do|case|defined|_?[Ss]tatic_assert|assert)$/
const asserting = /assert|check|expect|require|verify|should|ensure/i
/** At the top of an argument: what makes it a claim, whatever its call's name is. */
const comparison = /[^<>=!]==|!=|&&|\|\||\s[<>]\s|[^<>-][<>]=|^\s*!/
/** The name of a function is no value, nor is a text, and a parameter is declared. */
const noValue = /^\s*(?:\w+|["'].*|(?:\w+[\s*]+)+\w+)\s*$/s

interface Read {
  readonly text: string
  readonly code: string
  /** The variable that is not 0 when they are turned round. */
  readonly turned: string
  readonly isCplusplus: boolean
}

export interface Turning {
  /** How many assertions there are. */
  readonly count: number
  /** A part of the text with them. */
  between(start: number, end: number): string
}

/**
 * The text of a program in C with its own assertions: each claims the opposite once a variable is
 * set. An assertion is a statement that calls something with a comparison, or with one value by a
 * name that says so.
 */
export function turnAssertions({ text, code, turned, isCplusplus }: Read): Turning {
  const ends = bracketEnds(code)
  const claims = [...code.matchAll(statement)].flatMap(({ index, 0: call, groups: { name = '' } = {} }) => {
    const open = index + call.length - 1
    const close = ends[open] ?? 0
    if (close === 0 || noCall.test(name) || !/^\s*;/.test(code.slice(close + 1, close + 100))) return []
    if (isDirective(code, index)) return []
    const claim = claimIn(code, { name, inside: { start: open + 1, end: close } })
    return claim === null ? [] : [claim]
  })
  const before = isCplusplus ? 'static_cast<bool>(' : '((('
  const after = isCplusplus ? `) != (${turned} != 0)` : `) == 0) == (${turned} != 0))`
  return {
    count: claims.length,
    between(start, end) {
      let made = ''
      let at = start
      for (const claim of claims.filter((each) => each.start >= start && each.end <= end)) {
        const said = text.slice(claim.start, claim.end)
        made += `${text.slice(at, claim.start)}${before}${said}${after}`
        at = claim.end
      }
      return made + text.slice(at, end)
    },
  }
}

function claimIn(code: string, { name, inside }: { readonly name: string; readonly inside: Part }): Part | null {
  const parts = partsBetween(code, inside)
  const compared = parts.find(({ start, end }) => comparison.test(topOf(code.slice(start, end))))
  if (compared !== undefined) return compared
  const [only, other] = parts
  if (only === undefined || other !== undefined || !asserting.test(name)) return null
  return noValue.test(code.slice(only.start, only.end)) ? null : only
}

/** Without what stands in brackets. */
function topOf(code: string): string {
  let depth = 0
  let top = ''
  for (const letter of code) {
    if (/[)\]}]/.test(letter)) depth -= 1
    if (depth === 0) top += letter
    if (/[([{]/.test(letter)) depth += 1
  }
  return top
}

/** Whether it stands in a line for the preprocessor, which may go on over several lines. */
function isDirective(code: string, at: number): boolean {
  let start = code.lastIndexOf('\n', at - 1) + 1
  while (start > 1 && /\\\r?$/.test(code.slice(Math.max(0, start - 3), start - 1)))
    start = code.lastIndexOf('\n', start - 2) + 1
  return /^[ \t]*#/.test(code.slice(start, at))
}
