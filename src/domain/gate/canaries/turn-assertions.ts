import { bracketEnds, type Part, partsBetween } from '../brackets.ts'

/** A call that stands as a statement; its name may be that of the file's own assertion. */
const statement = /(?<=[;{})]\s*|\n\s*)(?<name>[A-Za-z_]\w*)\s*\(/g
const noCall = /^(?:if|for|while|switch|return|sizeof|else|do|case|defined|_?[Ss]tatic_assert|assert)$/
const asserting = /assert|check|expect|require|verify|should|ensure/i
/** An operator at the top of an argument makes it a claim, whatever the call's name is. */
const comparison = /[^<>=!]==|!=|&&|\|\||\s[<>]\s|[^<>-][<>]=|^\s*!/
/** A name of a function, a text or a parameter's declaration is not a value. */
const noValue = /^\s*(?:\w+|["'].*|(?:\w+[\s*]+)+\w+)\s*$/s

interface SourceText {
  readonly text: string
  readonly code: string
  /** The name of the variable that inverts the assertions when it is not 0. */
  readonly turned: string
  readonly isCplusplus: boolean
}

export interface Turning {
  /** The number of assertions. */
  readonly count: number
  /** A part of the text with the assertions in it. */
  between(start: number, end: number): string
}

/**
 * Inverts a C program's own assertions: each claims the opposite once a variable is set. An
 * assertion is a statement that calls something with a comparison, or calls something named like an
 * assertion with one value.
 */
export function turnAssertions({ text, code, turned, isCplusplus }: SourceText): Turning {
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

/** The code without the contents of brackets. */
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

/** True inside a preprocessor directive, which may continue over several lines. */
function isDirective(code: string, at: number): boolean {
  let start = code.lastIndexOf('\n', at - 1) + 1
  while (start > 1 && /\\\r?$/.test(code.slice(Math.max(0, start - 3), start - 1)))
    start = code.lastIndexOf('\n', start - 2) + 1
  return /^[ \t]*#/.test(code.slice(start, at))
}
